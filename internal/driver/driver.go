// Package driver knows what makes a VNF of its servers: a folder each, registered in package all. docs/architecture.md
// says under "Adding a driver" what a driver consists of.
package driver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Driver reads what a request says to it. The VNF's own driver, with these parameters, does the rest.
type Driver interface {
	// Name is the one that a VNFD names the driver with. The foreign scripts whose work it does are beside it in
	// package vnfpkg, which reads VNFDs.
	Name() string
	// Bind reads the parameters out of a request's additionalParams. The error lists every value of a wrong type; the
	// driver that is returned with it has the others.
	Bind(additionalParams json.RawMessage) (lifecycle.Driver, error)
	// CheckRequest adds to what is found everything of the driver's parameters that can be known to fail before anything
	// is created: every mistake at once, each with its JSON path.
	CheckRequest(ctx context.Context, r Request) error
}

// Set has drivers of different names.
type Set []Driver

// Named finds a driver; false when there is none of that name.
func (s Set) Named(name string) (Driver, bool) {
	i := slices.IndexFunc(s, func(d Driver) bool { return d.Name() == name })
	if i < 0 {
		return nil, false
	}
	return s[i], true
}

// Bind makes the drivers of a VNF of that flavour, in the order in which its VNFD names them.
func (s Set) Bind(f *vnfpkg.Flavour, additionalParams json.RawMessage) (out []lifecycle.Driver, err error) {
	if f == nil {
		return nil, nil
	}
	for _, d := range s.Of(f) {
		bound, err := d.Bind(additionalParams)
		if err != nil {
			return out, err
		}
		out = append(out, bound)
	}
	return out, nil
}

// Of are the drivers of a VNF of that flavour, in the order in which its VNFD names them.
func (s Set) Of(f *vnfpkg.Flavour) (out Set) {
	for _, name := range f.Drivers() {
		if d, ok := s.Named(name); ok {
			out = append(out, d)
		}
	}
	return out
}

// Missing are the hooks at which the VNF is instantiated by what Windlass has no driver for, with the names for it.
func (s Set) Missing(f *vnfpkg.Flavour) map[string]string {
	missing := map[string]string{}
	for _, hook := range []string{"instantiate_end", "instantiate_start"} {
		if name, asked := f.Driver(hook); asked && !isEmpty(f, hook) && len(f.Hooks[hook].Scripts()) == 0 {
			if _, ok := s.Named(name); !ok {
				missing[hook] = name
			}
		}
	}
	return missing
}

// isEmpty tells whether nothing is there to be run: packages of containerised VNFs name scripts that they do not have,
// of which the package's warnings tell.
func isEmpty(f *vnfpkg.Flavour, hook string) bool {
	h := f.Hooks[hook]
	return f.Containers && h.File == "" && h.Driver == ""
}
