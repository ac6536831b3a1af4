// Package hot runs Heat Orchestration Templates. The first half is pure: templates, parameters, intrinsic functions,
// dependencies. The second half, the Engine, makes stacks from templates. It uses a Resources for every resource that
// is not a stack.
package hot

import (
	"maps"
	"slices"
	"strings"
)

// Template is a parsed HOT template. The sections hold the YAML as it was, functions included.
type Template struct {
	Version     string
	Description string
	Parameters  map[string]ParameterSchema
	Resources   map[string]Definition
	Outputs     map[string]Output
	Conditions  map[string]any
	Raw         map[string]any
}

// Definition is one entry of the section resources.
type Definition struct {
	Name       string
	Type       string
	Properties map[string]any
	Metadata   any
	DependsOn  []string
	Condition  any // nil: always
	DeletePol  string
}

// Output is one entry of the section outputs.
type Output struct {
	Description string
	Value       any
	Condition   any
}

// versions are the template versions, in the order of the functions they added; the code names are aliases.
var versions = []string{
	"2013-05-23", "2014-10-16", "2015-04-30", "2015-10-15", "2016-04-08", "2016-10-14",
	"2017-02-24", "2017-09-01", "2018-03-02", "2018-08-31", "2021-04-16",
}

var versionAliases = map[string]string{
	"newton": "2016-10-14", "ocata": "2017-02-24", "pike": "2017-09-01", "queens": "2018-03-02",
	"rocky": "2018-08-31", "wallaby": "2021-04-16",
}

// Parse reads a template given as YAML or JSON text.
func Parse(text string) (*Template, error) {
	doc, err := ParseYAML(text)
	if err != nil {
		return nil, wrapParse("template", err)
	}
	raw, ok := doc.(map[string]any)
	if !ok {
		return nil, errorf("BadRequest", "The template is not a JSON object or YAML mapping. (%T)", doc)
	}
	return FromMap(raw)
}

func wrapParse(what string, err error) error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // made one line above, never wrapped
		return e
	}
	return errorf("BadRequest", "Error parsing %s: %v", what, err)
}

// FromMap reads a template that is already a mapping.
func FromMap(raw map[string]any) (*Template, error) {
	t := &Template{Raw: raw}
	if err := t.readVersion(); err != nil {
		return nil, err
	}
	if d, ok := raw["description"].(string); ok {
		t.Description = d
	}
	for key := range raw {
		if !slices.Contains(sections, key) {
			return nil, errorf("InvalidTemplateSection", "The template section is invalid: %s", key)
		}
	}
	for _, read := range []func() error{t.readParameters, t.readConditions, t.readResources, t.readOutputs} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

var sections = []string{
	"heat_template_version", "description", "parameter_groups", "parameters", "resources",
	"outputs", "conditions",
}

func (t *Template) readVersion() error {
	v, given := t.Raw["heat_template_version"]
	if !given {
		return &Error{Type: InvalidTemplate, Message: "The template version is invalid: Template version was not provided"}
	}
	t.Version = text(v)
	if alias, ok := versionAliases[t.Version]; ok {
		t.Version = alias
	}
	if !slices.Contains(versions, t.Version) {
		return errorf(InvalidTemplate,
			`The template version is invalid: "heat_template_version: %s". "heat_template_version" should be one of: %s`,
			text(v), strings.Join(append(slices.Clone(versions), slices.Sorted(maps.Keys(versionAliases))...), ", "))
	}
	return nil
}

// section reads a mapping of mappings; an absent or null section is empty.
func (t *Template) section(name string) (map[string]map[string]any, error) {
	v := t.Raw[name]
	if v == nil {
		return nil, nil //nolint:nilnil // an absent section is an empty one
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, invalid(`"%s" must contain a map`, name)
	}
	out := make(map[string]map[string]any, len(m))
	for key, entry := range m {
		em, ok := entry.(map[string]any)
		if !ok {
			return nil, invalid(`"%s" must contain a map of %s maps. Found a [%s] instead`, name, strings.TrimSuffix(name, "s"),
				kindOf(entry))
		}
		out[key] = em
	}
	return out, nil
}

// entriesOf reads every entry of a section.
func entriesOf[T any](
	t *Template, section string, read func(name string, entry map[string]any) (T, error),
) (map[string]T, error) {
	entries, err := t.section(section)
	out := make(map[string]T, len(entries))
	for name, entry := range entries {
		if out[name], err = read(name, entry); err != nil {
			return nil, err
		}
	}
	return out, err
}

func (t *Template) readParameters() (err error) {
	t.Parameters, err = entriesOf(t, "parameters", readParameter)
	return err
}

func (t *Template) readConditions() error {
	if c, ok := t.Raw["conditions"].(map[string]any); ok {
		t.Conditions = c
	} else if t.Raw["conditions"] != nil {
		return invalid("The contents of the conditions section must be a map")
	}
	return nil
}

var resourceKeys = []string{
	"type", "properties", "metadata", "depends_on", "deletion_policy", "update_policy",
	"description", "external_id", "condition",
}

func (t *Template) readResources() (err error) {
	t.Resources, err = entriesOf(t, "resources", func(name string, entry map[string]any) (Definition, error) {
		for key := range entry {
			if !slices.Contains(resourceKeys, key) {
				return Definition{}, invalid(`Invalid keyword(s) inside a resource definition: %s`, key)
			}
		}
		return ReadDefinition(name, entry)
	})
	if err != nil {
		return err
	}
	for name, d := range t.Resources {
		for _, dep := range d.DependsOn {
			if _, ok := t.Resources[dep]; !ok {
				return errorf("InvalidTemplateReference",
					`The specified reference "%s" (in resources.%s.depends_on) is incorrect.`, dep, name)
			}
		}
	}
	return nil
}

// ReadDefinition reads one resource.
func ReadDefinition(name string, entry map[string]any) (Definition, error) {
	d := Definition{
		Name: name, Metadata: entry["metadata"], Condition: entry["condition"],
		DeletePol: strings.ToLower(text(entry["deletion_policy"])),
	}
	typ, ok := entry["type"].(string)
	if !ok || typ == "" {
		return d, invalid("Resource %s is missing \"type\"", name)
	}
	d.Type = typ
	switch p := entry["properties"].(type) {
	case nil:
	case map[string]any:
		d.Properties = p
	default:
		return d, invalid(`Property error: resources.%s.properties: must be a map, found [%s]`, name, kindOf(p))
	}
	switch dep := entry["depends_on"].(type) {
	case nil:
	case string:
		d.DependsOn = []string{dep}
	case []any:
		for _, v := range dep {
			d.DependsOn = append(d.DependsOn, text(v))
		}
	default:
		return d, invalid("Resource %s depends_on must be a list or string", name)
	}
	return d, nil
}

func (t *Template) readOutputs() (err error) {
	t.Outputs, err = entriesOf(t, "outputs", func(name string, entry map[string]any) (Output, error) {
		out := Output{Description: text(entry["description"]), Value: entry["value"], Condition: entry["condition"]}
		if _, ok := entry["value"]; !ok {
			return out, invalid(`Each output must contain a value key. (outputs.%s)`, name)
		}
		return out, nil
	})
	return err
}

// supports reports whether the template's version includes functions added in since.
func (t *Template) supports(since string) bool { return t.Version >= since }
