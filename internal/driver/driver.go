// Package driver defines the drivers that make use of a VNF's servers, e.g. as a cluster. Each driver has a folder, and
// package all registers it. docs/architecture.md says under "Adding a driver" what a driver consists of.
package driver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Driver makes the VNF's own driver with the parameters of its request, which does the rest.
type Driver interface {
	// Name is the driver's name in a VNFD. Package vnfpkg, which reads VNFDs, also has the names of foreign scripts whose
	// work the driver does.
	Name() string
	// Bind reads the parameters out of a request's additionalParams. With mistakes in them, it still returns a driver with
	// the other values.
	Bind(additionalParams json.RawMessage) (Binding, params.Mistakes)
	// Describe tells of the driver's parameters, for people who write a request.
	Describe() Description
}

// Description tells of the parameters of a driver.
type Description struct {
	// Member is the driver's member of additionalParams, and Params a zero value of the member's type.
	Member string
	Params any
	// Without are members of Params that are for another driver.
	Without []string
	// Optional is set where a request may leave the member out.
	Optional bool
}

// Binding is a driver that is bound to one VNF: it has the parameters of the VNF's request.
type Binding interface {
	lifecycle.VnfDriver
	// CheckRequest adds every mistake in the driver's parameters to Found, each with its JSON path. It finds all that can
	// be known before anything is created. wrong are the mistakes that Bind has found.
	CheckRequest(ctx context.Context, r Request, wrong params.Mistakes) error
}

// Bound is a driver of a VNF with the mistakes in its parameters.
type Bound struct {
	Binding
	Wrong params.Mistakes
}

// Set has drivers with different names.
type Set []Driver

// Named finds a driver by its name; false when there is none.
func (s Set) Named(name string) (Driver, bool) {
	i := slices.IndexFunc(s, func(d Driver) bool { return d.Name() == name })
	if i < 0 {
		return nil, false
	}
	return s[i], true
}

// Bind makes the drivers of a VNF of that flavour, in the order in which its VNFD names them.
func (s Set) Bind(f *descriptor.Flavour, additionalParams json.RawMessage) (out []Bound) {
	if f == nil {
		return nil
	}
	for _, d := range s.Of(f) {
		bound, wrong := d.Bind(additionalParams)
		out = append(out, Bound{bound, wrong})
	}
	return out
}

// Drivers are the drivers themselves, whatever is wrong with their parameters.
func Drivers(bound []Bound) (out []lifecycle.VnfDriver) {
	for _, b := range bound {
		out = append(out, b.Binding)
	}
	return out
}

// Usable are the drivers themselves. The error lists every value of a wrong type.
func Usable(bound []Bound) (out []lifecycle.VnfDriver, err error) {
	for _, b := range bound {
		if len(b.Wrong.Types) > 0 {
			return out, lcm.InvalidAll("The parameters of the driver "+b.Name()+" cannot be read.", b.Wrong.Types)
		}
		out = append(out, b.Binding)
	}
	return out, nil
}

// Of are the drivers of VNFs of that flavour, in the order in which its VNFD names them.
func (s Set) Of(f *descriptor.Flavour) (out Set) {
	for _, name := range f.Drivers() {
		if d, ok := s.Named(name); ok {
			out = append(out, d)
		}
	}
	return out
}

// Missing maps the hooks of an instantiation for which Windlass has no driver to the VNFD's names for it.
func (s Set) Missing(f *descriptor.Flavour) map[string]string {
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

// isEmpty tells whether there is nothing to run. Packages of containerised VNFs name scripts that they do not have; the
// warnings of the package mention them.
func isEmpty(f *descriptor.Flavour, hook string) bool {
	h := f.Hooks[hook]
	return f.Containers && h.File == "" && h.Driver == ""
}
