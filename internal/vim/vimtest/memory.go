package vimtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Size is the definition of a deployment in Memory: the number of parts of the group "workers".
type Size int

// Memory is a VIM that stores deployments in memory and has no servers. It has no optional abilities. So tests use it
// to see the errors about missing abilities.
type Memory struct {
	// Group is the name of the group of parts, and Vdu that of the server in each part. Mark begins the ids of all
	// resources; two VIMs need different marks.
	Group, Vdu, Mark string

	mu          sync.Mutex
	ids         int
	deployments map[string]*deployment
	images      map[string][]string // their users
}

type deployment struct {
	id, owner, operation string
	parts                []part
}

// part is a member of the group: a server and its port.
type part struct {
	id, name, server, port string
	created                time.Time
}

// NewMemory makes an empty VIM.
func NewMemory() *Memory {
	return &Memory{Group: "workers", Vdu: "vdu", deployments: map[string]*deployment{}, images: map[string][]string{}}
}

// id makes a new, unique id.
func (m *Memory) id(of string) string {
	m.ids++
	return fmt.Sprintf("%s%s-%d", m.Mark, of, m.ids)
}

func (m *Memory) newPart() part {
	return part{
		id: m.id("part"), name: m.id("member"), server: m.id("server"), port: m.id("port"),
		created: time.Unix(int64(m.ids), 0),
	}
}

func (d *deployment) foreign(name string) error {
	return lcm.Errorf(lcm.KindConflict, "The deployment %s belongs to %s.", name, d.owner)
}

// resize adds parts, or removes parts: the leaving ones first, then the youngest.
func (m *Memory) resize(d *deployment, size int, leaving []string) {
	for len(d.parts) < size {
		d.parts = append(d.parts, m.newPart())
	}
	slices.SortStableFunc(d.parts, func(a, b part) int {
		goes := func(p part) int {
			if slices.Contains(leaving, p.id) {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(goes(a), goes(b)), a.created.Compare(b.created))
	})
	d.parts = d.parts[:size]
}

// Deploy implements vim.VIM.
func (m *Memory) Deploy(_ context.Context, of vim.Deployment, _ func(string)) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.deployments[of.Name]
	switch {
	case d != nil && d.owner != of.Owner:
		return "", d.foreign(of.Name)
	case d != nil && d.operation == of.Operation:
		return d.id, nil
	}
	size, ok := of.Definition.(Size)
	if !ok {
		return "", lcm.Errorf(lcm.KindBug, "The VIM in memory cannot read a %T.", of.Definition)
	}
	d = &deployment{id: m.id("deployment"), owner: of.Owner, operation: of.Operation}
	m.resize(d, int(size), nil)
	m.deployments[of.Name] = d
	return d.id, nil
}

// Change implements vim.VIM.
func (m *Memory) Change(_ context.Context, ch vim.Change, _ func(string)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.deployments[ch.Name]
	switch {
	case d == nil:
		return lcm.Errorf(lcm.KindNotFound, "There is no deployment %s.", ch.Name)
	case d.owner != ch.Owner:
		return d.foreign(ch.Name)
	}
	size := len(d.parts)
	if given, ok := ch.Definition.(Size); ok {
		size = int(given)
	}
	var leaving []string
	for _, r := range ch.Replace {
		leaving = append(leaving, r.ID)
	}
	shrinks := size < len(d.parts)
	m.resize(d, size, leaving)
	for i, p := range d.parts {
		switch {
		case slices.Contains(leaving, p.server):
			d.parts[i].server = m.id("server")
		case slices.Contains(leaving, p.id) && !shrinks:
			d.parts[i] = m.newPart()
		}
	}
	d.operation = ch.Operation
	return nil
}

// Inventory implements vim.VIM.
func (m *Memory) Inventory(_ context.Context, name string) (*vim.Inventory, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.deployments[name]
	if d == nil {
		return nil, lcm.Errorf(lcm.KindNotFound, "There is no deployment %s.", name)
	}
	group := d.id + "-" + m.Group
	inv := &vim.Inventory{
		ID: d.id, Level: vim.Running, Status: "COMPLETE", Servers: map[string]vim.Server{}, Ports: map[string]vim.Port{},
		Resources: []vim.Resource{{Kind: vim.Group, Name: m.Group, ID: group, VimType: "memory/group", Part: d.id}},
	}
	for i, p := range d.parts {
		inv.Resources = append(inv.Resources,
			vim.Resource{Name: p.name, ID: p.id, VimType: "memory/part", Part: group, Created: p.created},
			vim.Resource{Kind: vim.Compute, Name: m.Vdu, ID: p.server, Level: vim.Running, VimType: "memory/server", Part: p.id, Member: p.name},
			vim.Resource{Kind: vim.LinkPort, Name: "cp", ID: p.port, VimType: "memory/port", Part: p.id, Member: p.name},
		)
		inv.Servers[p.server] = vim.Server{ID: p.server, Name: p.name, Level: vim.Running, Status: "RUNNING", VolumeType: "volume"}
		inv.Ports[p.port] = vim.Port{ID: p.port, VimType: "port", ServerID: p.server, Address: fmt.Sprintf("192.0.2.%d", i+1)}
	}
	return inv, nil
}

// Remove implements vim.VIM.
func (m *Memory) Remove(_ context.Context, name, owner string, _ func(string)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.deployments[name]; d != nil && d.owner == owner {
		delete(m.deployments, name)
	}
	return nil
}

// Interrupt implements vim.VIM. It does nothing, because every call completes its work.
func (m *Memory) Interrupt(context.Context, string, string, func(string)) error { return nil }

// Settle implements vim.VIM.
func (m *Memory) Settle(_ context.Context, name, owner string, _ func(string)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch d := m.deployments[name]; {
	case d == nil:
		return lcm.Errorf(lcm.KindNotFound, "There is no deployment %s.", name)
	case d.owner != owner:
		return d.foreign(name)
	}
	return nil
}

// KeepImage implements vim.ImageStore.
func (m *Memory) KeepImage(
	_ context.Context, image vim.Image, user string, open func() (io.ReadCloser, error), _ func(string),
) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	users, there := m.images[image.Name]
	if !there {
		content, err := open()
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, content)
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	if !slices.Contains(users, user) {
		m.images[image.Name] = append(users, user)
	}
	return nil
}

// ReleaseImages implements vim.ImageStore.
func (m *Memory) ReleaseImages(_ context.Context, user string, _ func(string)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, users := range m.images {
		users = slices.DeleteFunc(slices.Clone(users), func(u string) bool { return u == user })
		m.images[name] = users
		if len(users) == 0 {
			delete(m.images, name)
		}
	}
	return nil
}

// Images returns the names of the stored images.
func (m *Memory) Images() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.images))
}
