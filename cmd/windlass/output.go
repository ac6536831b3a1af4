package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// The output formats of client commands.
const (
	formatTable = "table"
	formatJSON  = "json"
	formatYAML  = "yaml"
	formatWide  = "wide"
	formatName  = "name"
	// The two that are followed by "=" and a template.
	formatJSONPath   = "jsonpath"
	formatGoTemplate = "go-template"
)

var formats = []string{
	formatTable, formatWide, formatName, formatJSON, formatYAML, formatJSONPath + "=",
	formatGoTemplate + "=",
}

// chooseFormat decides between the flags and a profile.
func (c *cli) chooseFormat(cmd *cobra.Command, asJSON bool, byProfile string) error {
	given := cmd.InheritedFlags().Changed("output")
	switch {
	case asJSON && given && c.format != formatJSON:
		return usageErrorf(cmd, "Give either --json or --output %s.", c.format)
	case asJSON:
		c.format = formatJSON
	case !given && byProfile != "":
		c.format = byProfile
	}
	if name, template, found := strings.Cut(c.format, "="); found {
		render, err := rendererOf(name, template)
		if err != nil {
			return usageErrorf(cmd, "%s", sentence(err.Error()))
		}
		c.format, c.render = name, render
	}
	templated := c.format == formatJSONPath || c.format == formatGoTemplate
	if templated != (c.render != nil) || !templated && !slices.Contains(formats, c.format) {
		return usageErrorf(cmd, "--output must be table, wide, name, json, yaml, jsonpath=TEMPLATE or go-template=TEMPLATE, "+
			"not %q.", c.format)
	}
	return nil
}

// structured tells whether the output is for a program.
func (c *cli) structured() bool { return c.format != formatTable && c.format != formatWide }

// print shows v in the API's form, or by view.
func (c *cli) print(v any, view func(w io.Writer)) error {
	if !c.structured() {
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		view(w)
		return w.Flush()
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	if c.render != nil || c.format == formatName {
		return c.printRendered(b)
	}
	b = append(b, '\n')
	if c.format == formatYAML {
		if b, err = yamlOf(b); err != nil {
			return fmt.Errorf("write the answer as YAML: %w", err)
		}
	}
	_, err = c.out.Write(b)
	return err
}

// yamlOf is the same document as YAML, in the same order. JSON is already YAML, but hard to read.
func yamlOf(document []byte) ([]byte, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(document, &node); err != nil {
		return nil, err
	}
	unfold(&node)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

// unfold leaves it to the encoder how a node is written. Empty lists and objects stay as they are.
func unfold(node *yaml.Node) {
	if len(node.Content) > 0 || node.Kind == yaml.ScalarNode {
		node.Style = 0
	}
	for _, child := range node.Content {
		unfold(child)
	}
}

// confirm tells people what happened: programs get none of it.
func (c *cli) confirm(format string, args ...any) {
	if !c.structured() {
		fmt.Fprintf(c.out, format+"\n", args...)
	}
}
