package hot_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

// fakeCloud has ports, servers and volumes, and can delay or refuse their creation.
type fakeCloud struct {
	mu      sync.Mutex
	things  map[string]hot.Item // by physical id
	creates int
	deleted []string
	refuse  func(i hot.Item) error
	hold    chan struct{} // while it is open, the creation of items of the type held waits
	held    string
}

func newFakeCloud() *fakeCloud {
	return &fakeCloud{things: map[string]hot.Item{}, held: "OS::Nova::Server"}
}

// fail refuses all items of a type from now on, or none for "".
func (c *fakeCloud) fail(typ string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuse = func(i hot.Item) error {
		if i.Type == typ {
			return &hot.Error{Type: "ResourceInError", Message: "Went to status ERROR"}
		}
		return nil
	}
}

func (c *fakeCloud) Schema(typ string) (hot.Schema, bool) {
	s, ok := map[string]hot.Schema{
		"OS::Neutron::Net":    {},
		"OS::Neutron::Subnet": {Properties: map[string]hot.Property{"network": {Type: "string", Required: true}}},
		"OS::Neutron::Port": {Properties: map[string]hot.Property{
			"network": {Type: "string", Required: true}, "allowed_address_pairs": {Type: "list", Updatable: true},
			"name": {Type: "string", Updatable: true},
		}, Attributes: []string{"fixed_ips", "mac_address"}},
		"OS::Nova::Server": {Properties: map[string]hot.Property{
			"name": {Type: "string", Updatable: true}, "image": {Type: "string", Check: "glance.image"},
			"flavor": {Type: "string", Required: true, Updatable: true}, "networks": {Type: "list"},
			"scheduler_hints": {Type: "map"}, "user_data": {}, "metadata": {Type: "map", Updatable: true},
		}, Attributes: []string{"first_address", "name"}},
		"OS::Nova::ServerGroup": {Properties: map[string]hot.Property{"name": {}, "policies": {Type: "list"}}},
	}[typ]
	return s, ok
}

func (c *fakeCloud) Types() []string { return []string{"OS::Nova::Server"} }

func (c *fakeCloud) Check(_, constraint, value string) error {
	if constraint == "glance.image" && value == "absent" {
		return fmt.Errorf("The Image (%s) could not be found.", value) //nolint:staticcheck,revive // as Heat says
	}
	return nil
}

func (c *fakeCloud) Create(ctx context.Context, i hot.Item) (string, error) {
	c.mu.Lock()
	if c.refuse != nil {
		if err := c.refuse(i); err != nil {
			c.mu.Unlock()
			return "", err
		}
	}
	if _, again := c.things[i.UID]; !again {
		c.creates++
	}
	c.things[i.UID] = i
	hold := c.hold
	c.mu.Unlock()
	i.Exists(i.UID)
	if hold != nil && i.Type == c.held {
		select {
		case <-hold:
		case <-ctx.Done():
			return i.UID, context.Cause(ctx)
		}
	}
	return i.UID, nil
}

func (c *fakeCloud) Update(_ context.Context, i hot.Item, _ map[string]any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.things[i.Physical] = i
	return nil
}

func (c *fakeCloud) Delete(_ context.Context, i hot.Item) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.things[i.ID()]; ok {
		delete(c.things, i.ID())
		c.deleted = append(c.deleted, i.Name)
	}
	return nil
}

func (c *fakeCloud) Detach(context.Context, hot.Item) error { return nil }

func (c *fakeCloud) Usable(_ context.Context, i hot.Item) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.things[i.Physical]; !ok {
		return fmt.Errorf("%s is gone", i.Name)
	}
	return nil
}

func (c *fakeCloud) Attributes(_ context.Context, i hot.Item) (map[string]any, error) {
	return map[string]any{
		"fixed_ips":     []any{map[string]any{"ip_address": "10.0.0." + i.Physical[:2]}},
		"first_address": "10.0.0.9", "name": i.Properties["name"],
	}, nil
}

func (c *fakeCloud) of(typ string) []hot.Item {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []hot.Item
	for _, id := range slices.Sorted(maps.Keys(c.things)) {
		if c.things[id].Type == typ {
			out = append(out, c.things[id])
		}
	}
	return out
}
