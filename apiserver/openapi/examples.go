package openapi

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"go.yaml.in/yaml/v3"
)

// examples are answers of the API's tests: a file OPERATION.STATUS.json for each answer in JSON. To write them anew:
// go tool task docs:generate.
//
//go:embed examples
var examples embed.FS

// ExampleFile is the name of the example of an answer.
func ExampleFile(operationID, status string) string { return operationID + "." + status + ".json" }

// document is the document with the examples.
func document() (map[string]any, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return nil, err
	}
	paths, _ := doc["paths"].(map[string]any)
	for path, item := range paths {
		members, _ := item.(map[string]any)
		for method, operation := range members {
			if o, ok := operation.(map[string]any); ok && o["operationId"] != nil {
				if err := addExamples(o); err != nil {
					return nil, fmt.Errorf("%s %s: %w", method, path, err)
				}
			}
		}
	}
	return doc, nil
}

// addExamples adds its example to each answer in JSON that has none yet.
func addExamples(operation map[string]any) error {
	responses, _ := operation["responses"].(map[string]any)
	for status, response := range responses {
		r, _ := response.(map[string]any)
		content, _ := r["content"].(map[string]any)
		media, ok := content["application/json"].(map[string]any)
		if !ok || media["example"] != nil {
			continue
		}
		text, err := examples.ReadFile("examples/" + ExampleFile(fmt.Sprint(operation["operationId"]), status))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var example any
		if err := errors.Join(err, json.Unmarshal(text, &example)); err != nil {
			return err
		}
		media["example"] = example
	}
	return nil
}
