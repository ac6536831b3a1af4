package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"

	"k8s.io/client-go/util/jsonpath"
)

// renderer prints a document by a template.
type renderer func(w io.Writer, document any) error

// rendererOf reads a template of a format; it returns nil for an unknown format.
func rendererOf(format, text string) (renderer, error) {
	switch format {
	case formatJSONPath:
		if !strings.Contains(text, "{") { // kubectl takes .id for {.id}
			text = "{" + text + "}"
		}
		path := jsonpath.New("output").AllowMissingKeys(true)
		if err := path.Parse(text); err != nil {
			return nil, fmt.Errorf("the template of -o jsonpath is wrong: %w", err)
		}
		return path.Execute, nil
	case formatGoTemplate:
		t, err := template.New("output").Parse(text)
		if err != nil {
			return nil, fmt.Errorf("the template of -o go-template is wrong: %w", err)
		}
		return func(w io.Writer, document any) error { return t.Execute(w, document) }, nil
	}
	return nil, nil
}

// printRendered prints a document by the chosen template, or its id.
func (c *cli) printRendered(document []byte) error {
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if c.render == nil {
		object, _ := v.(map[string]any)
		for _, member := range []string{"id", "vnfLcmOpOccId"} {
			if id, found := object[member]; found {
				_, err := fmt.Fprintln(c.out, id)
				return err
			}
		}
		return fmt.Errorf("-o name: the answer has no id")
	}
	var b bytes.Buffer
	if err := c.render(&b, v); err != nil {
		if object, _ := v.(map[string]any); len(object) == 1 && object["items"] != nil {
			return fmt.Errorf("print by the template: %w. A template finds the resources of a list in .items", err)
		}
		return fmt.Errorf("print by the template: %w", err)
	}
	if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteByte('\n')
	}
	_, err := c.out.Write(b.Bytes())
	return err
}

// printStructuredList prints a list for programs. Templates find the list as items, like templates for kubectl.
func (c *cli) printStructuredList(raw []json.RawMessage, names func() []string) error {
	switch {
	case c.format == formatName:
		for _, name := range names() {
			fmt.Fprintln(c.out, name)
		}
		return nil
	case c.render != nil:
		return c.print(map[string]any{"items": raw}, nil)
	}
	return c.print(raw, nil)
}
