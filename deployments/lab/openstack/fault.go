package openstack

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

// errDrop makes the server close the connection without an answer.
var errDrop = errors.New("connection dropped")

// Fault is a failure that the lab produces on order. It acts on API requests (Service, Method, Path), or on Heat's
// actions on a resource (Resource). A call from Heat to another service counts as a request to that service.
type Fault struct {
	ID string `json:"id"`
	// Service is keystone, nova, neutron, cinder, glance, octavia or heat; "" for all.
	Service string `json:"service,omitempty"`
	Method  string `json:"method,omitempty"`
	// Path is a regular expression that must match somewhere in the path.
	Path string `json:"path,omitempty"`
	// Status replaces the real answer. Drop closes the connection. DelayMs waits first; alone it only delays the call.
	Status  int    `json:"status,omitempty"`
	DelayMs int    `json:"delay_ms,omitempty"`
	Drop    bool   `json:"drop,omitempty"`
	Message string `json:"message,omitempty"`
	// Resource is the name of a resource in a template; Action is CREATE (default), UPDATE or DELETE.
	Resource string `json:"resource,omitempty"`
	Action   string `json:"action,omitempty"`
	// NoValidHost makes the scheduler find no host for the next servers.
	NoValidHost bool `json:"no_valid_host,omitempty"`
	// Count is how many times the fault acts: default 1, -1 for ever. Hits is how many times it has acted.
	Count int `json:"count"`
	Hits  int `json:"hits"`

	path *regexp.Regexp
}

type faults struct {
	mu   sync.Mutex
	next int
	all  []*Fault
}

func newFaults() *faults { return &faults{} }

func (f *faults) add(fault Fault) (Fault, error) {
	re, err := regexp.Compile(fault.Path)
	if err != nil {
		return fault, badRequest("path is not a regular expression: %v", err)
	}
	known := fault.Service == "" || slices.ContainsFunc(services, func(s *service) bool { return s.name == fault.Service })
	if !known {
		return fault, badRequest("there is no service %q", fault.Service)
	}
	if fault.Resource == "" && !fault.NoValidHost && !fault.Drop && fault.Status == 0 && fault.DelayMs == 0 {
		return fault, badRequest("the order has no fault; give status, delay_ms, drop, resource or no_valid_host")
	}
	if fault.Status != 0 && (fault.Status < 400 || fault.Status > 599) {
		return fault, badRequest("status must be that of an error, from 400 to 599")
	}
	if fault.Count == 0 {
		fault.Count = 1
	}
	if fault.Resource != "" && fault.Action == "" {
		fault.Action = hot.Create
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	fault.ID, fault.Hits, fault.path = strconv.Itoa(f.next), 0, re
	f.all = append(f.all, &fault)
	return fault, nil
}

func (f *faults) list() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []Fault{}
	for _, fault := range f.all {
		out = append(out, *fault)
	}
	return out
}

// remove removes one fault, or all of them for "".
func (f *faults) remove(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(fault *Fault) bool { return id == "" || fault.ID == id })
}

// take finds the first matching fault that is not used up, and counts the hit.
func (f *faults) take(matches func(*Fault) bool) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.all {
		if fault.Count >= 0 && fault.Hits >= fault.Count || !matches(fault) {
			continue
		}
		fault.Hits++
		return *fault, true
	}
	return Fault{}, false
}

// request applies the first fault that matches an API call.
func (f *faults) request(ctx context.Context, s *service, method, path string) error {
	fault, hit := f.take(func(fault *Fault) bool {
		return fault.Resource == "" && !fault.NoValidHost &&
			(fault.Service == "" || fault.Service == s.name) &&
			(fault.Method == "" || fault.Method == method) && fault.path.MatchString(path)
	})
	if !hit {
		return nil
	}
	if err := pause(ctx, time.Duration(fault.DelayMs)*time.Millisecond); err != nil {
		return err
	}
	if fault.Drop {
		return errDrop
	}
	if fault.Status == 0 {
		return nil
	}
	message := fault.Message
	if message == "" {
		message = "By order, the lab answers " + http.StatusText(fault.Status) + "."
	}
	return fail(fault.Status, http.StatusText(fault.Status), "%s", message)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// resource applies the first fault that matches an action of Heat.
func (f *faults) resource(_ hot.Stack, r hot.Resource, action string) error {
	fault, hit := f.take(func(fault *Fault) bool { return fault.Resource == r.Name && fault.Action == action })
	if !hit {
		return nil
	}
	message := fault.Message
	if message == "" {
		message = `Went to status ERROR due to "Message: By order, the lab fails this resource., Code: 500"`
	}
	return &hot.Error{Type: "ResourceInError", Message: message}
}

// noHost reports whether the scheduler was told to find no host.
func (f *faults) noHost() bool {
	_, hit := f.take(func(fault *Fault) bool { return fault.NoValidHost })
	return hit
}
