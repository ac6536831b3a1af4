package rest

import (
	"reflect"
	"strings"
	"sync"
)

// onlyAttributes copies a view with only the attributes that keep accepts; the others have their zero values. A view is
// a struct whose members are the attributes of a resource. Attributes that a list may leave out have omitempty.
func onlyAttributes(view any, keep func(name string) bool) any {
	from := reflect.ValueOf(view)
	to := reflect.New(from.Type()).Elem()
	for i, name := range attributeNamesOf(from.Type()) {
		if keep(name) {
			to.Field(i).Set(from.Field(i))
		}
	}
	return to.Interface()
}

var namesOfViews sync.Map // of reflect.Type to []string

// attributeNamesOf are the names in JSON of the fields of a view, in their order.
func attributeNamesOf(view reflect.Type) []string {
	if known, ok := namesOfViews.Load(view); ok {
		return known.([]string) //nolint:forcetypeassert // nothing else is stored there
	}
	names := make([]string, 0, view.NumField())
	for field := range view.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	namesOfViews.Store(view, names)
	return names
}
