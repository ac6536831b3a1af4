package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
)

// TestPage_namesWhatScriptsCanBeToldToDo compares docs/lab.md with the members of the orders for fake machines.
func TestPage_namesWhatScriptsCanBeToldToDo(t *testing.T) {
	page, err := os.ReadFile("../../docs/lab.md")
	require.NoError(t, err)
	for _, order := range []reflect.Type{reflect.TypeFor[fake.Fault](), reflect.TypeFor[pace]()} {
		for field := range order.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			require.True(t, strings.Contains(string(page), "`"+name+"`"), "docs/lab.md does not name %s of %s", name, order.Name())
		}
	}
}
