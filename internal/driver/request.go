package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Request is an INSTANTIATE while it is checked, with the other input of drivers.
type Request struct {
	lcm.InstantiateRequest
	Flavour *descriptor.Flavour
	// Capacity is the future number of servers of each VDU.
	Capacity map[string]int
	Package  Package
	// Vim is the kind of the VIM with the VNF's servers.
	Vim     lcm.VimKind
	Scripts ScriptsAllowed
	// PodNetwork is set when the operator has a pod network for clusters whose request names none.
	PodNetwork bool
	Found      *Findings
}

// ScriptsAllowed is the operator's configuration for scripts of packages. Python tells whether Python scripts can run.
// Ansible tells whether playbooks can run on the worker's host. SkipTackerV1 tells whether management drivers of Tacker's
// v1 are skipped.
type ScriptsAllowed struct {
	Policy          lcm.ScriptPolicy
	Python, Ansible bool
	SkipTackerV1    bool
}

// Package is the VNF package of a request.
type Package struct {
	lcm.VnfPkg
	// Read reads a small file of the package; it returns NotFound when there is none. Has also finds large files.
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

// Modification is a MODIFY_INFO while it is checked.
type Modification struct {
	lcm.ModifyRequest
	Instance lcm.VnfInstance
	Vnfd     descriptor.Vnfd
	Package  Package
	Found    *Findings
}

// Modifier is a driver that takes part in modifications.
type Modifier interface {
	// CheckModify adds mistakes to m.Found. An error is a Conflict with the VNF's state.
	CheckModify(ctx context.Context, m Modification) error
}

// HealChecker is a driver of a VNF that checks its parameters after those of a heal are merged into them. wrong are the
// mistakes that Bind has found in them.
type HealChecker interface {
	CheckHeal(wrong params.Mistakes) error
}

// HealReader is a driver that reads members of heal requests itself, for any VNF.
type HealReader interface {
	// HealProblems lists every mistake in those members, with its path in the request. asked are the heal's
	// additionalParams; had are those of the VNF, which a heal may repeat.
	HealProblems(asked, had json.RawMessage) []lcm.Problem
}

// Registrar is a driver of a VNF that registers its cluster as a VIM.
type Registrar interface {
	// VimName is the name of that VIM.
	VimName(inst lcm.VnfInstanceID) lcm.VimName
}

// VimName is the name under which one of a VNF's drivers registers its cluster as a VIM, if one does.
func VimName(inst lcm.VnfInstanceID, drivers []lifecycle.VnfDriver) lcm.VimName {
	for _, d := range drivers {
		if of, ok := d.(Registrar); ok {
			return of.VimName(inst)
		}
	}
	return lcm.VimName{}
}

// Findings collects mistakes. The request is a 422 when all of them are names of things that do not exist.
type Findings struct {
	problems []lcm.Problem
	mistakes bool
}

// Names adds a name of a thing that does not exist.
func (f *Findings) Names(path, format string, args ...any) {
	f.problems = append(f.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// Named adds names of things that do not exist.
func (f *Findings) Named(problems ...lcm.Problem) { f.problems = append(f.problems, problems...) }

// Mistake adds any other mistake.
func (f *Findings) Mistake(problems ...lcm.Problem) {
	f.problems = append(f.problems, problems...)
	f.mistakes = f.mistakes || len(problems) > 0
}

// Err is the answer to the request, nil when there are no findings.
func (f *Findings) Err() error {
	if len(f.problems) == 0 {
		return nil
	}
	return &lcm.Error{
		Kind: lcm.KindInvalid, Unprocessable: !f.mistakes, Detail: "The request cannot be carried out", Problems: f.problems,
	}
}
