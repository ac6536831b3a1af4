package nspawn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// records is a directory with one JSON file for each object: the lab needs them after a restart.
type records[T any] struct {
	dir string
	all map[string]T
}

func (r *records[T]) load(dir string) error {
	r.dir, r.all = dir, map[string]T{}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		var v T
		if err := readJSON(file, &v); err != nil {
			return err
		}
		r.all[strings.TrimSuffix(filepath.Base(file), ".json")] = v
	}
	return nil
}

func (r *records[T]) put(id string, v T) error {
	if err := writeJSON(filepath.Join(r.dir, id+".json"), v); err != nil {
		return err
	}
	r.all[id] = v
	return nil
}

func (r *records[T]) remove(id string) error {
	if err := os.Remove(filepath.Join(r.dir, id+".json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	delete(r.all, id)
	return nil
}

// list sorts by id, so that rules and retries come in the same order every time.
func (r *records[T]) list() []T {
	var vs []T
	for _, id := range slices.Sorted(maps.Keys(r.all)) {
		vs = append(vs, r.all[id])
	}
	return vs
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeJSON replaces the file atomically: a lab that dies during the write leaves the old file.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, b, 0o600)
}

func writeFile(path string, content []byte, mode fs.FileMode) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, content, mode); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
