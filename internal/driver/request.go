package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Request is an INSTANTIATE that is being checked, with what drivers look at.
type Request struct {
	lcm.InstantiateRequest
	Flavour *vnfpkg.Flavour
	// Capacity is how many servers of each VDU there will be.
	Capacity map[string]int
	Package  Package
	Scripts  ScriptsAllowed
	Found    *Findings
}

// ScriptsAllowed is what the operator's configuration says of scripts of packages. Python tells whether any can be run,
// and Ansible whether playbooks can where the worker is.
type ScriptsAllowed struct {
	Policy          lcm.ScriptPolicy
	Python, Ansible bool
}

// Package is the VNF package of a request.
type Package struct {
	lcm.VnfPkg
	// Read reads a small file of the package; it is NotFound when there is none. Has also finds large ones.
	Read func(ctx context.Context, path string) ([]byte, error)
	Has  func(ctx context.Context, path string) (bool, error)
}

// Artifact finds an artifact of the package.
func (p Package) Artifact(path string) (lcm.PkgArtifact, bool) {
	i := slices.IndexFunc(p.Artifacts, func(a lcm.PkgArtifact) bool { return a.Path == path })
	if i < 0 {
		return lcm.PkgArtifact{}, false
	}
	return p.Artifacts[i], true
}

// Modification is a MODIFY_INFO that is being checked.
type Modification struct {
	lcm.ModifyRequest
	Instance lcm.VnfInstance
	Vnfd     vnfpkg.Vnfd
	Package  Package
	Found    *Findings
}

// Modifier is a driver that has its part in modifications.
type Modifier interface {
	// CheckModify adds to what is found. An error is the state's: a Conflict.
	CheckModify(ctx context.Context, m Modification) error
}

// HealChecker is a driver that checks the parameters that a VNF has once those of a heal are laid over its own.
type HealChecker interface {
	CheckHeal(additionalParams json.RawMessage) error
}

// HealReader is a driver that reads members of heal requests itself, whatever VNF they are about.
type HealReader interface {
	// HealProblems lists every mistake in those members, with its path in the body of the request.
	HealProblems(body json.RawMessage) []lcm.Problem
}

// Registrar is a driver that registers what it makes as a VIM.
type Registrar interface {
	// VimName is the name of that VIM.
	VimName(inst lcm.VnfInstanceID, additionalParams json.RawMessage) string
}

// Findings collects mistakes; the request is a 422 when all of them are names of things that do not exist.
type Findings struct {
	problems []lcm.Problem
	mistakes bool
}

// Names adds a reference to what does not exist.
func (f *Findings) Names(path, format string, args ...any) {
	f.problems = append(f.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// Named adds references to what does not exist.
func (f *Findings) Named(problems ...lcm.Problem) { f.problems = append(f.problems, problems...) }

// Mistake adds anything else.
func (f *Findings) Mistake(problems ...lcm.Problem) {
	f.problems = append(f.problems, problems...)
	f.mistakes = f.mistakes || len(problems) > 0
}

// Err is the answer to the request, nil when nothing was found.
func (f *Findings) Err() error {
	if len(f.problems) == 0 {
		return nil
	}
	return &lcm.Error{
		Kind: lcm.KindInvalid, Unprocessable: !f.mistakes, Detail: "The request cannot be carried out", Problems: f.problems,
	}
}
