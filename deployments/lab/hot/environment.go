package hot

import (
	"maps"
	"slices"
	"strings"
)

// Environment is the environment that a client sends with the template.
type Environment struct {
	Parameters map[string]any
	Defaults   map[string]any
	Registry   map[string]string
}

var environmentKeys = []string{
	"parameters", "parameter_defaults", "resource_registry", "encrypted_param_names",
	"event_sinks", "parameter_merge_strategies",
}

// ParseEnvironment reads YAML or JSON text; an empty text is an empty environment.
func ParseEnvironment(text string) (Environment, error) {
	doc, err := ParseYAML(text)
	if err != nil {
		return Environment{}, wrapParse("environment", err)
	}
	if doc == nil {
		return Environment{}, nil
	}
	m, ok := doc.(map[string]any)
	if !ok {
		return Environment{}, &Error{Type: "BadRequest", Message: "The environment is not a valid YAML mapping data type."}
	}
	return EnvironmentFromMap(m)
}

// EnvironmentFromMap reads an environment that is already a mapping.
func EnvironmentFromMap(m map[string]any) (Environment, error) {
	for key := range m {
		if !slices.Contains(environmentKeys, key) {
			return Environment{}, errorf("BadRequest", "environment has wrong section %q", key)
		}
	}
	env := Environment{Registry: map[string]string{}}
	env.Parameters, _ = m["parameters"].(map[string]any)
	env.Defaults, _ = m["parameter_defaults"].(map[string]any)
	registry, _ := m["resource_registry"].(map[string]any)
	base := text(registry["base_url"])
	for name, target := range registry {
		t, ok := target.(string)
		if !ok || name == "base_url" {
			continue // "resources:" holds hooks, which only matter to people who step through a stack
		}
		if base != "" && isTemplateName(t) && !strings.Contains(t, "://") {
			t = strings.TrimSuffix(base, "/") + "/" + t
		}
		env.Registry[name] = t
	}
	return env, nil
}

// Merge lays other over e.
func (e Environment) Merge(other Environment) Environment {
	return Environment{
		Parameters: merged(e.Parameters, other.Parameters),
		Defaults:   merged(e.Defaults, other.Defaults),
		Registry:   merged(e.Registry, other.Registry),
	}
}

func merged[V any](a, b map[string]V) map[string]V {
	out := make(map[string]V, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// target resolves a type through the registry.
func (e Environment) target(typ string) string {
	for range len(e.Registry) + 1 {
		next, ok := e.Registry[typ]
		if !ok {
			next, ok = e.wildcard(typ)
		}
		if !ok || next == typ {
			return typ
		}
		typ = next
	}
	return typ
}

func (e Environment) wildcard(typ string) (string, bool) {
	for pattern, target := range e.Registry {
		prefix, isPattern := strings.CutSuffix(pattern, "*")
		if !isPattern || !strings.HasPrefix(typ, prefix) {
			continue
		}
		if head, isPrefix := strings.CutSuffix(target, "*"); isPrefix {
			return head + strings.TrimPrefix(typ, prefix), true
		}
		return target, true
	}
	return "", false
}

func isTemplateName(typ string) bool {
	return strings.HasSuffix(typ, ".yaml") || strings.HasSuffix(typ, ".template")
}
