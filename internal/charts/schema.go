package charts

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// validate checks the values against the schemas of the chart and its subcharts. Helm's own check would read files and
// call servers that a schema names.
func validate(c *chart.Chart, top common.Values) error {
	values, err := top.Table("Values")
	if err != nil {
		return nil //nolint:nilerr // a chart without values
	}
	return hold(c, values)
}

func hold(c *chart.Chart, values map[string]any) error {
	var problems []error
	if c.Schema != nil {
		if err := holdTo(c.Schema, values); err != nil {
			problems = append(problems, fmt.Errorf("the values of %s do not match its schema: %w", c.Name(), err))
		}
	}
	for _, sub := range c.Dependencies() {
		if own, ok := values[sub.Name()].(map[string]any); ok {
			problems = append(problems, hold(sub, own))
		}
	}
	return errors.Join(problems...)
}

const schemaName = "file:///values.schema.json"

func holdTo(schema []byte, values map[string]any) error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(closed{})
	if err := compiler.AddResource(schemaName, document); err != nil {
		return err
	}
	compiled, err := compiler.Compile(schemaName)
	if err != nil {
		return err
	}
	return compiled.Validate(values)
}

// closed refuses to load other schemas.
type closed struct{}

func (closed) Load(url string) (any, error) {
	return nil, fmt.Errorf("the schema refers to another schema, %q: it must be complete without others", url)
}
