// Package openapi describes Windlass's API, for programs and for people.
package openapi

import (
	_ "embed" // the document and its page are part of the binary
	"encoding/json"
	"sync"
)

//go:embed openapi.yaml
var source []byte

// Source is the document as it is kept: YAML with comments.
func Source() []byte { return source }

// JSON is the document. It fails only if the built-in file has an error.
var JSON = sync.OnceValues(func() ([]byte, error) {
	doc, err := document()
	if err != nil {
		return nil, err
	}
	return json.Marshal(doc)
})
