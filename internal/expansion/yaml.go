// Package expansion bounds what the documents of strangers become when they are read: a few aliases of one long text make
// gigabytes of a YAML file of some kilobytes. The parsers count values, not bytes.
package expansion

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// MostYAML is enough, in bytes, for all manifests of a VNF: a Secret of 1 MiB holds the record of them.
	MostYAML = 32 << 20
	// largestDocument is the size of one document, in bytes. Kubernetes stores objects of up to 1.5 MiB.
	largestDocument = 4 << 20
	// mostValues bounds the values of one document, and mostOfFile those of a file. A parser needs some 200 bytes for each.
	mostValues = 400_000
	mostOfFile = 5 * mostValues
)

// YAML is what is left of a budget for YAML documents.
type YAML struct{ most, left int64 }

// NewYAML returns a budget of that many bytes, with aliases expanded, for all documents together.
func NewYAML(most int64) *YAML { return &YAML{most, most} }

// Take takes the size of one document out of the budget. The error completes a sentence about the document.
func (y *YAML) Take(document []byte) error {
	if len(document) > largestDocument {
		return fmt.Errorf("is larger than %d MiB", largestDocument>>20)
	}
	return y.take(document, mostValues)
}

// TakeFile takes the size of a file, whose documents may be of any size.
func (y *YAML) TakeFile(text []byte) error { return y.take(text, mostOfFile) }

func (y *YAML) take(text []byte, most int) error {
	if values(text) > most {
		return fmt.Errorf("has more than %d values", most)
	}
	size := int64(len(text))
	if bytes.IndexByte(text, '&') >= 0 && bytes.IndexByte(text, '*') >= 0 { // else there is no alias
		with, err := expanded(text)
		if err != nil {
			return err
		}
		size = max(size, with)
	}
	if y.left -= size; y.left < 0 {
		return fmt.Errorf("makes the documents together larger than %d MiB, with its aliases expanded", y.most>>20)
	}
	return nil
}

// values returns at least the number of values: each needs a comma, a bracket or a mark. A colon stands for the key, too.
func values(text []byte) (n int) {
	for i, c := range text {
		switch c {
		case ',', '[', '{':
			n++
		case '-', '?':
			n += count(endsWord(text, i+1))
		case ':':
			n += 2 * count(endsWord(text, i+1) || i > 0 && (text[i-1] == '"' || text[i-1] == '\''))
		}
	}
	return n
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// endsWord reports whether no word goes on at that place.
func endsWord(text []byte, at int) bool {
	return at >= len(text) || strings.IndexByte(" \t\r\n", text[at]) >= 0
}

// expanded returns the size of all documents of a text with their aliases expanded. The recover is a second safeguard:
// the parser promises not to panic.
func expanded(text []byte) (size int64, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("is not YAML that can be parsed")
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var root yaml.Node
		switch err := decoder.Decode(&root); {
		case errors.Is(err, io.EOF):
			return size, nil
		case err != nil:
			return 0, fmt.Errorf("cannot be read: %s", strings.Join(strings.Fields(err.Error()), " "))
		}
		sizes := sizes{}
		if err := sizes.add(&root); err != nil {
			return 0, err
		}
		size = sum(size, sizes[&root])
	}
}

// sizes are the sizes of values, each worked out once however often it is used.
type sizes map[*yaml.Node]int64

// being is the size of a value while its members are added.
const being = -1

func (s sizes) add(n *yaml.Node) error {
	if _, known := s[n]; known {
		if s[n] == being {
			return errors.New("has an alias of a value within this value")
		}
		return nil
	}
	s[n] = being
	members := n.Content
	if n.Kind == yaml.AliasNode {
		members = []*yaml.Node{n.Alias}
	}
	const mark = 2 // quotes, or a comma
	size := int64(len(n.Value)) + mark
	for _, member := range members {
		if err := s.add(member); err != nil {
			return err
		}
		size = sum(size, s[member])
	}
	s[n] = size
	return nil
}

// sum adds sizes without an overflow.
func sum(a, b int64) int64 { return min(a+b, 1<<60) }
