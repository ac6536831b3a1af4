package charts

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"time"

	"helm.sh/helm/v4/pkg/ignore"
)

// ignored returns a function that tells which files of a chart's folder Helm leaves out: those of .helmignore, and hidden
// ones in templates.
func ignored(files map[string][]byte) (func(name string) bool, error) {
	rules, err := ignore.Parse(bytes.NewReader(files[ignore.HelmIgnore]))
	if err != nil {
		return nil, fmt.Errorf("its .helmignore cannot be read: %w", err)
	}
	rules.AddDefaults()
	return func(name string) bool {
		if rules.Ignore(name, entry{name: path.Base(name)}) {
			return true
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if rules.Ignore(dir, entry{name: path.Base(dir), dir: true}) {
				return true
			}
		}
		return false
	}, nil
}

// entry is the fs.FileInfo of a file in memory.
type entry struct {
	name string
	dir  bool
}

func (e entry) Name() string       { return e.name }
func (e entry) Size() int64        { return 0 }
func (e entry) ModTime() time.Time { return time.Time{} }
func (e entry) IsDir() bool        { return e.dir }
func (e entry) Sys() any           { return nil }
func (e entry) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir
	}
	return 0
}
