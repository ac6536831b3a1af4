package docs_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

var update = flag.Bool("update", false, "write the generated page of parameters")

// parametersPage is what TestReference_hasTheRulesOfEveryParameter keeps as the code has them.
const parametersPage = "reference/parameters.md"

// TestReference_hasTheRulesOfEveryParameter makes a page of the tags by which requests are read (internal/params).
func TestReference_hasTheRulesOfEveryParameter(t *testing.T) {
	var text strings.Builder
	text.WriteString(`# Rules of parameters

What each parameter may be, as requests are read. This page is generated from the code (` + "`go tool task docs:generate`" + `).
What they mean is in [Parameters of a cluster](cluster-parameters.md), [Persistent volumes](../how-to/persistent-volumes.md),
[Registries of images](../how-to/registries.md) and [Containerised VNFs](../how-to/containers.md).
`)
	for _, of := range []struct {
		heading string
		params  any
	}{
		{"Clusters: `additionalParams.k8s_cluster_installation_param`", k8s.Params{}},
		{"Containerised VNFs: `additionalParams`", cnf.Params{}},
	} {
		fmt.Fprintf(&text, "\n## %s\n\n| Parameter | Type | Rules |\n|---|---|---|\n", of.heading)
		rules(&text, reflect.TypeOf(of.params), "")
	}
	if *update {
		require.NoError(t, os.WriteFile(parametersPage, []byte(text.String()), 0o644)) //nolint:gosec // for everybody
	}
	require.True(t, text.String() == page(t, parametersPage), "%s is not what the code reads. Run: go tool task docs:generate",
		parametersPage)
}

// rules writes a row for each member, those of objects and of items in lists included.
func rules(w *strings.Builder, of reflect.Type, prefix string) {
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner, kind := kindOf(field.Type)
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
			continue
		case field.Anonymous && name == "":
			rules(w, inner, prefix)
			continue
		}
		path := prefix + name
		if strings.HasPrefix(kind, "list") {
			path += "[]"
		}
		if strings.HasPrefix(kind, "map") {
			path += ".<name>"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", path, kind, sentences(field.Tag.Get("param")))
		if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[lcm.Secret]() && inner.PkgPath() != "" {
			rules(w, inner, path+".")
		}
	}
}

// kindOf is what a type is in JSON, and the type of its items.
func kindOf(t reflect.Type) (inner reflect.Type, kind string) {
	switch {
	case t == reflect.TypeFor[lcm.Secret]():
		return t, "text, sealed"
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		inner, kind = kindOf(t.Elem())
		return inner, "list of " + strings.TrimSuffix(kind, "s") + "s"
	case t.Kind() == reflect.Map:
		inner, kind = kindOf(t.Elem())
		return inner, "map of " + strings.TrimSuffix(kind, "s") + "s"
	case t.Kind() == reflect.Struct:
		return t, "object"
	case t.Kind() == reflect.Bool:
		return t, "boolean"
	case t.Kind() == reflect.Int:
		return t, "number"
	case t.Kind() == reflect.String:
		return t, "text"
	default:
		return t, "any"
	}
}

var rule = regexp.MustCompile(`^(\w+)(?:=(.*))?$`)

// sentences are the rules of a tag for people.
func sentences(tag string) string {
	var out []string
	unit := ""
	for part := range strings.SplitSeq(tag, ";") {
		m := rule.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			continue
		}
		switch value := m[2]; m[1] {
		case "required":
			out = append(out, strings.TrimSuffix("required: "+value, ": "))
		case "default":
			out = append(out, "default `"+value+"`")
		case "min":
			out = append(out, "at least "+value)
		case "max":
			out = append(out, "at most "+value)
		case "unit":
			unit = "in " + value
		case "enum":
			out = append(out, "one of `"+strings.ReplaceAll(value, "|", "`, `")+"`")
		case "is":
			out = append(out, "a "+value)
		case "notnull":
			out = append(out, "not null")
		}
	}
	if unit != "" {
		out = append(out, unit)
	}
	return strings.Join(out, "; ")
}
