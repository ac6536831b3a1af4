package userdata

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/gob"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// Playbooks runs playbooks of packages where this program is. Each run is a process of its own that is confined before
// Ansible starts: as another user where Windlass is root, with processes of its own only, nothing to write but a
// directory in memory, and nothing to read but that, Ansible and what programs need. It may make connections.
//
// A run is a command of this host, as runs on an Ansible server are commands of that: it goes on without its worker, and
// is found again. A run that no worker follows for Lease ends, because a worker of another host may begin it again then.
type Playbooks struct {
	// Lease is how long a run goes on that nobody follows; 0 is DefaultLease.
	Lease time.Duration
	// Dir is where workers of this host find runs again; "" is a folder in memory of the user.
	Dir string
}

// DefaultLease is long enough for a new worker to start, and short enough to wait for a host that is gone.
const DefaultLease = 5 * time.Minute

// nobody is who Ansible runs as where Windlass is root.
const nobody = 65534

// Host is this host, on which Script is a command.
func (p *Playbooks) Host() (*remote.Host, error) {
	return remote.Here("the worker's host", p.dir())
}

// dir is by default in memory, if the host has that: what Ansible prints may have secrets before it is masked.
func (p *Playbooks) dir() string {
	if p.Dir != "" {
		return p.Dir
	}
	parent := "/dev/shm"
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		parent = os.TempDir()
	}
	return filepath.Join(parent, "windlass-"+strconv.Itoa(os.Geteuid()))
}

// Patience is how long after the last sign of a worker its runs have ended for certain: they look each second.
func (p *Playbooks) Patience() time.Duration { return cmp.Or(p.Lease, DefaultLease) + 3*time.Second }

// Name tells workers that find each other's runs from others. It is the same until the host's memory is cleared.
func (p *Playbooks) Name() (string, error) {
	if _, err := p.Host(); err != nil {
		return "", err
	}
	file, fresh := filepath.Join(p.dir(), "name"), strings.ToLower(rand.Text())
	staged := file + "-" + fresh
	if err := os.WriteFile(staged, []byte(fresh), 0o600); err != nil {
		return "", err
	}
	err := os.Link(staged, file) // fails where there is one
	if err := errors.Join(os.Remove(staged), keepUnless(err, fs.ErrExist)); err != nil {
		return "", err
	}
	text, err := os.ReadFile(file) //nolint:gosec // G304: in the folder of this user
	return string(text), err
}

func keepUnless(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// Script is the command that runs a playbook of a package. Its input is Input.
func (p *Playbooks) Script(playbook string) (scripts.PlayHere, error) {
	program, err := os.Executable()
	return scripts.PlayHere{Program: program, As: childName, Lease: cmp.Or(p.Lease, DefaultLease), Playbook: playbook}, err
}

// Follow keeps a run going until stop is called. claim is for the script.
func (p *Playbooks) Follow(id string) (claim string, stop func(), err error) {
	claims := filepath.Join(p.dir(), "claims")
	if err := os.MkdirAll(claims, 0o700); err != nil {
		return "", nil, err
	}
	claim = filepath.Join(claims, id)
	touch := func() error { return os.WriteFile(claim, nil, 0o600) }
	if err := touch(); err != nil {
		return "", nil, err
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(cmp.Or(p.Lease, DefaultLease) / 20)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = touch() // the next time, if a disk is full now
			}
		}
	}()
	return claim, func() {
		close(done)
		<-ended
		_ = os.Remove(claim) // who follows the run next writes it again
	}, nil
}

// playDirectory is where a run has its files: in memory, of its own mounts, so that they are gone with it, however it
// ends.
const playDirectory = "/run/windlass-playbook"

// Input is what a run finds in playDirectory, for its standard input.
func (*Playbooks) Input(in scripts.PlayInput) ([]byte, error) {
	program, err := scripts.PlayProgram()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"play.sh": []byte(program), "callback/windlass.py": scripts.AnsibleCallback,
		"passwd": []byte("root:x:0:0::" + filepath.Join(playDirectory, "home") + ":/bin/sh\n"),
	}
	for name, text := range in.Files() {
		files["in."+name] = []byte(text)
	}
	for name, text := range in.Package {
		files["package/"+name] = text
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(files); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// receive writes what Input has made.
func receive(from io.Reader, dir string) error {
	var files map[string][]byte
	if err := gob.NewDecoder(from).Decode(&files); err != nil {
		return err
	}
	err := write(dir, files)
	for _, name := range []string{"home", "tmp"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	return err
}

// playProfile is the name of the profile of playbooks.
const playProfile = "playbook"
