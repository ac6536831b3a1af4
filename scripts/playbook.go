package scripts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"maps"
	"slices"
	"strings"
)

// PlayPackage runs a playbook of the VNF package, as the user that is logged in. Its input is that of PlayInput.
type PlayPackage struct {
	// Playbook is its path in the package.
	Playbook string
	// Password is set when Ansible logs in with one.
	Password bool
}

// Name implements Script.
func (PlayPackage) Name() string { return "play-package" }

// Render implements Script.
func (s PlayPackage) Render() (string, error) {
	return render(s.Name(), []param{required("PLAYBOOK", s.Playbook), flag("PASSWORD", s.Password)}, playLibrary)
}

// playLibrary has the run itself.
const playLibrary = "lib-play"

// PlayInput is what a run of a playbook is given.
type PlayInput struct {
	// Package are the package's files that it may use, by path.
	Package map[string][]byte
	// Inventory, Variables (JSON) and KnownHosts are files; Key is a private key, "" for none.
	Inventory, Variables, KnownHosts, Key string
}

// Files are the files beside the package's, by their names.
func (p PlayInput) Files() map[string]string {
	files := map[string]string{"inventory": p.Inventory, "variables": p.Variables, "known_hosts": p.KnownHosts}
	if p.Key != "" {
		files["key"] = strings.TrimRight(p.Key, "\n") + "\n"
	}
	return files
}

// Stdin is the input of PlayPackage.
func (p PlayInput) Stdin() ([]byte, error) {
	packed, err := pack(p.Package)
	if err != nil {
		return nil, err
	}
	inputs := []Input{{Name: "package", Value: string(packed)}, {Name: "callback", Value: string(AnsibleCallback)}}
	files := p.Files()
	for _, name := range sortedKeys(files) {
		inputs = append(inputs, Input{Name: name, Value: files[name]})
	}
	return Stdin(inputs...), nil
}

// pack makes an archive, which is the same for the same files.
func pack(files map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(files[name]))}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(archive.Close(), compressed.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// PlayHere is a program for the shell that runs a playbook where it is, as PlayPackage does. Its arguments are a
// directory with the files that PlayPackage gets, and the playbook.
func PlayHere() (string, error) {
	lib, err := bodies.ReadFile("sh/" + playLibrary + ".sh")
	if err != nil {
		return "", err
	}
	return playHere + string(lib) + "\nplay \"$1\" \"$2\"\n", nil
}

// playHere is what PlayPackage has of the library for all scripts.
const playHere = `#!/bin/bash
set -euo pipefail
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin HOME=$1/home TMPDIR=$1/tmp
fail() {
  local code=$1
  shift
  printf 'windlass: %s\n' "$*"
  exit "$code"
}
note() { printf '%s\n' "$*"; }
command -v ansible-playbook >/dev/null || fail 78 "the host of the worker has no ansible-playbook; install Ansible there, or give ansible.server"
`
