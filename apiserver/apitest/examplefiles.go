package apitest

import (
	"bytes"
	"encoding/json"
	"flag"
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

var examplesDir = flag.String("examples", "", "a directory for examples: of the answers that the tests have seen")

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
	var text bytes.Buffer
	if json.Indent(&text, secrets.MaskDocument(e.Body), "", "  ") != nil {
		return
	}
	text.WriteByte('\n')
	got, err := newExample(text.Bytes())
	if err != nil {
		return
	}
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

// Keep writes a file for each example into the directory of the flag -examples. A better example that the tests of
// another package have written there stays. Without the flag, Keep writes nothing.
func (x *Examples) Keep() error {
	if *examplesDir == "" {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(x.best)) {
		file := filepath.Join(*examplesDir, name)
		if there, err := readExample(file); err == nil && !x.best[name].before(there) {
			continue
		}
		if err := os.WriteFile(file, x.best[name].text, 0o644); err != nil {
			return fmt.Errorf("write an example: %w", err)
		}
	}
	return nil
}

func readExample(file string) (example, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return example{}, err
	}
	return newExample(text)
}

func newExample(text []byte) (example, error) {
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		return example{}, err
	}
	members := map[string]bool{}
	membersIn(doc, "", members)
	return example{text, len(members)}, nil
}
