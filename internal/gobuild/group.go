package gobuild

import (
	"path"
	"path/filepath"
	"slices"
)

// group are programs that one call of go build compiles.
type group struct {
	target   string // a file, or a directory with a slash at its end
	packages []string
}

// groups divides the programs: go build names a program after its package, so that those with another name need a call of
// their own.
func (b Build) groups() (groups []group) {
	for _, p := range b.Programs {
		if path.Base(p.Package) != filepath.Base(p.File) {
			groups = append(groups, group{p.File, []string{p.Package}})
			continue
		}
		dir := filepath.Dir(p.File) + "/"
		if i := slices.IndexFunc(groups, func(g group) bool { return g.target == dir }); i >= 0 {
			groups[i].packages = append(groups[i].packages, p.Package)
			continue
		}
		groups = append(groups, group{dir, []string{p.Package}})
	}
	return groups
}
