// Package kubespray has playbooks with the names and the interface of kubespray's own. They install a cluster on
// machines of the lab. The suite of the same name runs them, and kubespray itself, on real machines.
package kubespray

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Archive packs a directory of playbooks, such as the one beside this file, into a tar. A link to a file, for example
// of the sample package, becomes a copy of that file; links to directories stay links.
func Archive(dir string) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return add(w, path, filepath.ToSlash(name))
	})
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("pack the playbooks in %s: %w", dir, err)
	}
	return b.Bytes(), nil
}

func add(w *tar.Writer, path, name string) error {
	info, err := os.Stat(path) // follows links
	if err != nil {
		return err
	}
	if info.IsDir() {
		to, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to, Mode: 0o777})
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Size: int64(len(content))}); err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}
