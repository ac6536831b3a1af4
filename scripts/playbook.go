package scripts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// PlayPackage runs a playbook of the VNF package, as the login user. Its input is PlayInput.Stdin.
type PlayPackage struct {
	// Playbook is its path in the package.
	Playbook string
	// Password is set if Ansible logs in with a password.
	Password bool
}

// Name implements Script.
func (PlayPackage) Name() string { return "play-package" }

// Render implements Script.
func (s PlayPackage) Render() (string, error) {
	return render(s.Name(), []param{required("PLAYBOOK", s.Playbook), flag("PASSWORD", s.Password)}, playLibrary)
}

// playLibrary contains the run itself.
const playLibrary = "lib-play"

// PlayInput is the input of a playbook run.
type PlayInput struct {
	// Package are the package's files for the run, by path.
	Package map[string][]byte
	// Inventory, Variables (JSON) and KnownHosts are files; Key is a private key, "" for none.
	Inventory, Variables, KnownHosts, Key string
}

// Files are the files that do not come from the package, by name.
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

// pack makes a deterministic archive: the same files make the same bytes.
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

// PlayHere runs a playbook of the VNF package on the worker's host. Program confines itself, and then executes Ansible.
type PlayHere struct {
	// Program is this program's file, and As its argv[0] in the run.
	Program, As string
	// Claim is a file that the follower of the run touches. The run ends if nobody touches it for Lease.
	Claim string
	Lease time.Duration
	// Playbook is its path in the package.
	Playbook string
	// Reach is the policy of the run's network, as internal/ownnet writes it.
	Reach string
}

// PlayProfile is the argument that tells the program what to do.
const PlayProfile = "start-playbook"

// Name implements Script.
func (PlayHere) Name() string { return "play-here" }

// Render implements Script. The script runs only the program, so it needs no library.
func (s PlayHere) Render() (string, error) {
	words := []string{s.As, s.Program, s.Claim, s.Lease.String(), PlayProfile, s.Playbook, s.Reach}
	for i, word := range words {
		words[i] = Quote(word)
	}
	return "#!/bin/bash\n# windlass: " + s.Name() + "\nexec -a " + strings.Join(words, " ") + "\n", nil
}

// PlayProgram is a shell program that runs a playbook in place, as PlayPackage does. Its arguments are a directory with
// PlayPackage's files, and the playbook.
func PlayProgram() (string, error) {
	lib, err := bodies.ReadFile("sh/" + playLibrary + ".sh")
	if err != nil {
		return "", err
	}
	return playProgram + string(lib) + "\nplay \"$1\" \"$2\"\n", nil
}

// playProgram contains the parts of the scripts' common library that PlayPackage uses.
const playProgram = `#!/bin/bash
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
