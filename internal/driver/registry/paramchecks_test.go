package registry

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

func TestChecks_areAllUsed(t *testing.T) {
	used, named := map[string]bool{}, regexp.MustCompile(`\bis=([^;]+)`)
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(t.Elem())
		case reflect.Struct:
			for f := range t.Fields() {
				for _, name := range named.FindAllStringSubmatch(f.Tag.Get("param"), -1) {
					used[name[1]] = true
				}
				walk(f.Type)
			}
		default:
		}
	}
	walk(reflect.TypeFor[k8s.Params]())
	walk(reflect.TypeFor[Params]())
	for name := range manner.Checks {
		assert.True(t, used[name], "no parameter has the check %q", name)
	}
}
