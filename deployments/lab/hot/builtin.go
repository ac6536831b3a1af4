package hot

import (
	"context"
	"crypto/rand"
	"maps"
	"math/big"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// leaf has the methods that the kinds without an object in the cloud share.
type leaf struct{}

func (leaf) isStack() bool                                   { return false }
func (leaf) validate(*frame, Resource, map[string]any) error { return nil }
func (leaf) remove(context.Context, *frame, Resource) error  { return nil }

func (leaf) update(context.Context, *frame, *Resource, map[string]any) error { return nil }

func (leaf) ref(_ *frame, r Resource) any { return r.UID }

// bare is a leaf whose creation does nothing.
type bare struct{ leaf }

func (bare) create(_ context.Context, _ *frame, r *Resource) error { //nolint:unparam // a kind's create may fail
	r.Physical = r.UID
	return nil
}

// pick returns an attribute from a map of all attributes of a resource.
func pick(r Resource, all map[string]any, attr string, path []any) (any, error) {
	if attr == "" || attr == "show" {
		return all, nil
	}
	v, ok := all[attr]
	if !ok {
		return nil, badAttribute(r.Name, attr)
	}
	return walk(v, path), nil
}

// valueKind is OS::Heat::Value.
type valueKind struct{ bare }

func (valueKind) schema() Schema {
	return Schema{Properties: map[string]Property{
		"value": {Required: true, Updatable: true},
		"type":  {Type: "string", Updatable: true},
	}, Attributes: []string{"value"}}
}

func (valueKind) attr(_ *frame, r Resource, attr string, path []any) (any, error) {
	return pick(r, map[string]any{"value": r.Properties["value"]}, attr, path)
}

// noneKind is OS::Heat::None: it accepts every property, and every attribute is null.
type noneKind struct{ bare }

func (noneKind) schema() Schema { return Schema{} }

func (noneKind) attr(*frame, Resource, string, []any) (any, error) {
	return nil, nil //nolint:nilnil // every attribute is null
}

// randomString is OS::Heat::RandomString.
type randomString struct{ leaf }

func (randomString) schema() Schema {
	return Schema{Properties: map[string]Property{
		"length": {Type: "integer"}, "character_classes": {Type: "list"}, "character_sequences": {Type: "list"},
		"salt": {Type: "string"},
	}, Attributes: []string{"value"}}
}

var characterClasses = map[string]string{
	"lettersdigits": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	"letters":       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"lowercase":     "abcdefghijklmnopqrstuvwxyz", "uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"digits": "0123456789", "hexdigits": "0123456789ABCDEF", "octdigits": "01234567",
	"punctuation": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
}

func (randomString) create(_ context.Context, _ *frame, r *Resource) error {
	r.Physical = r.UID
	var alphabet strings.Builder
	var b strings.Builder
	classes, _ := r.Properties["character_classes"].([]any)
	for _, c := range classes {
		m, _ := c.(map[string]any)
		set := characterClasses[text(m["class"])]
		if set == "" {
			set = characterClasses["lettersdigits"]
		}
		for range Int(m["min"], 1) {
			b.WriteByte(randomByte(set))
		}
		alphabet.WriteString(set)
	}
	if alphabet.Len() == 0 {
		alphabet.WriteString(characterClasses["lettersdigits"])
	}
	for b.Len() < Int(r.Properties["length"], 32) {
		b.WriteByte(randomByte(alphabet.String()))
	}
	r.Data = map[string]string{"value": b.String()}
	return nil
}

func randomByte(set string) byte {
	n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(set)))) // crypto/rand never fails
	return set[n.Int64()]
}

func (randomString) ref(_ *frame, r Resource) any { return r.Data["value"] }

func (randomString) attr(_ *frame, r Resource, attr string, path []any) (any, error) {
	return pick(r, map[string]any{"value": r.Data["value"]}, attr, path)
}

// testResource is OS::Heat::TestResource. Heat's own tests use it to build stacks without a cloud.
type testResource struct{ leaf }

func (testResource) schema() Schema {
	return Schema{Properties: map[string]Property{
		"value": {Type: "string", Updatable: true}, "fail": {Type: "boolean", Updatable: true},
		"update_replace": {Type: "boolean", Updatable: true}, "wait_secs": {Type: "number", Updatable: true},
		"action_wait_secs": {Type: "map", Updatable: true}, "client_name": {}, "entity_name": {},
	}, Attributes: []string{"output"}}
}

func (testResource) create(ctx context.Context, _ *frame, r *Resource) error {
	r.Physical = r.UID
	return testAction(ctx, "create", r.Name, r.Properties)
}

func (testResource) update(ctx context.Context, _ *frame, r *Resource, props map[string]any) error {
	return testAction(ctx, "update", r.Name, props)
}

// remove only waits. As in Heat, a delete ignores the property fail.
func (testResource) remove(ctx context.Context, _ *frame, r Resource) error {
	props := maps.Clone(r.Properties)
	delete(props, "fail")
	return testAction(ctx, "delete", r.Name, props)
}

func testAction(ctx context.Context, action, name string, props map[string]any) error {
	secs, _ := Number(props["wait_secs"])
	if m, ok := props["action_wait_secs"].(map[string]any); ok && m[action] != nil {
		secs, _ = Number(m[action])
	}
	timer := time.NewTimer(time.Duration(secs * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if fail, _ := Bool(props["fail"]); fail {
		return &Error{Type: "ValueError", Message: "Test Resource failed " + name}
	}
	return nil
}

func (testResource) attr(_ *frame, r Resource, attr string, path []any) (any, error) {
	return pick(r, map[string]any{"output": r.Properties["value"]}, attr, path)
}

// configKind is OS::Heat::SoftwareConfig and OS::Heat::CloudConfig; it does only what user_data needs.
type configKind struct{ bare }

func (configKind) schema() Schema {
	return Schema{Properties: map[string]Property{
		"config": {Type: "string"}, "cloud_config": {Type: "map"}, "group": {Type: "string"}, "inputs": {Type: "list"},
		"outputs": {Type: "list"}, "options": {Type: "map"},
	}, Attributes: []string{"config"}}
}

func (configKind) attr(_ *frame, r Resource, attr string, path []any) (any, error) {
	return pick(r, map[string]any{"config": configText(r)}, attr, path)
}

func configText(r Resource) string {
	cloud, ok := r.Properties["cloud_config"].(map[string]any)
	if !ok {
		return text(r.Properties["config"])
	}
	b, err := yaml.Marshal(cloud)
	if err != nil {
		return ""
	}
	return "#cloud-config\n" + string(b)
}
