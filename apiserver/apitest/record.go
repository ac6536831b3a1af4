package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// A reader looks at the whole of an example: longer ones are taken only if there is none below long, and never above
// longest.
const (
	long    = 4 << 10
	longest = 8 << 10
)

// Examples keeps the answer that shows most for each operation and status.
type Examples struct {
	mu   sync.Mutex
	best map[string]example
}

type example struct {
	text    []byte
	members int
}

// Add looks at an answer of the API.
func (x *Examples) Add(e Exchange) {
	both, err := ownDefinitions()
	if err != nil || e.Status >= 300 || e.picked() || !isJSON(e.Header.Get("Content-Type")) {
		return
	}
	operation := both[0].find(e.Method, e.path())
	if operation == nil || len(e.Body) == 0 || len(e.Body) > longest {
		return
	}
	var doc any
	var text bytes.Buffer
	if json.Unmarshal(e.Body, &doc) != nil || json.Indent(&text, secrets.MaskDocument(e.Body), "", "  ") != nil {
		return
	}
	text.WriteByte('\n')
	members := map[string]bool{}
	membersIn(doc, "", members)
	got := example{text.Bytes(), len(members)}
	name := openapi.ExampleFile(operation.OperationID, strconv.Itoa(e.Status))
	x.mu.Lock()
	defer x.mu.Unlock()
	if old, has := x.best[name]; !has || got.before(old) {
		if x.best == nil {
			x.best = map[string]example{}
		}
		x.best[name] = got
	}
}

// before reports whether e is a better example than other: not too long, with more members, and short.
func (e example) before(other example) bool {
	if short := len(e.text) <= long; short != (len(other.text) <= long) {
		return short
	}
	if e.members != other.members {
		return e.members > other.members
	}
	return len(e.text) < len(other.text)
}

// membersIn collects the paths of members. All elements of a list count as one.
func membersIn(doc any, path string, into map[string]bool) {
	switch doc := doc.(type) {
	case map[string]any:
		for name, value := range doc {
			into[path+"."+name] = true
			membersIn(value, path+"."+name, into)
		}
	case []any:
		for _, element := range doc {
			into[path+"[]"] = true
			membersIn(element, path+"[]", into)
		}
	}
}

// Write writes a file for each example into a directory, in place of those that are there.
func (x *Examples) Write(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.best)) {
		if err := os.WriteFile(filepath.Join(dir, name), x.best[name].text, 0o644); err != nil {
			return fmt.Errorf("write an example: %w", err)
		}
	}
	return nil
}
