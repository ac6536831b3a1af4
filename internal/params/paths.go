package params

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// MemberPath is the JSON path of a member of the object at path.
func MemberPath(path, key string) string {
	if plainKey.MatchString(key) {
		return path + "." + key
	}
	return path + "['" + strings.ReplaceAll(key, "'", `\'`) + "']"
}

// ItemPath is the JSON path of an item of the list at path.
func ItemPath(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// Absent tells whether a member is not there, or null.
func Absent(doc json.RawMessage) bool {
	doc = trim(doc)
	return len(doc) == 0 || isNull(doc)
}

func isNull(doc json.RawMessage) bool { return string(doc) == "null" }

func trim(doc json.RawMessage) json.RawMessage { return bytes.TrimSpace(doc) }

// nameOf names the type of a document, never its value.
func nameOf(doc json.RawMessage) string {
	switch doc[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}
