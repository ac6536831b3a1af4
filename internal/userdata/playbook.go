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

	"github.com/windlass-nfv/windlass/internal/ownnet"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// Playbooks runs playbooks of packages on this host. Each run is a separate process, which is confined before Ansible
// starts. It runs as another user where Windlass is root, and sees only its own processes. It may write only to a
// directory in memory. It may read only that directory, Ansible and what programs need. It may make connections.
//
// A run is a command of this host, like a run on an Ansible server: it goes on without its worker, and a worker can
// find it again. A run that no worker follows for Lease ends, because a worker of another host may then start it again.
type Playbooks struct {
	// Lease is how long a run goes on without a follower; 0 is DefaultLease.
	Lease time.Duration
	// Dir is where workers of this host find runs again; "" is a folder of the user in memory.
	Dir string
	// Reach says what playbooks may connect to.
	Reach ownnet.Policy
}

// DefaultLease is long enough for a new worker to start, and short enough to wait for after a host is lost.
const DefaultLease = 5 * time.Minute

// nobody is the user id for Ansible where Windlass is root.
const nobody = 65534

// Host is this host; it runs Script as a command.
func (p *Playbooks) Host() (*remote.Host, error) {
	return remote.Here("the worker's host", p.dir())
}

// dir is in memory by default, if the host has a file system there: Ansible's output may contain secrets before it is
// masked.
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

// Patience is the time after a worker's last sign of life when its runs have surely ended: they check each second.
func (p *Playbooks) Patience() time.Duration { return cmp.Or(p.Lease, DefaultLease) + 3*time.Second }

// Name identifies the workers that find each other's runs. It stays the same until the host's memory is cleared.
func (p *Playbooks) Name() (string, error) {
	if _, err := p.Host(); err != nil {
		return "", err
	}
	file, fresh := filepath.Join(p.dir(), "name"), strings.ToLower(rand.Text())
	staged := file + "-" + fresh
	if err := os.WriteFile(staged, []byte(fresh), 0o600); err != nil {
		return "", err
	}
	err := os.Link(staged, file) // fails if the file exists
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

// Script is the command that runs a playbook of a package. Its input is from Input.
func (p *Playbooks) Script(playbook string) (scripts.PlayHere, error) {
	program, err := os.Executable()
	return scripts.PlayHere{
		Program: program, As: childName, Lease: cmp.Or(p.Lease, DefaultLease), Playbook: playbook, Reach: p.Reach.String(),
	}, err
}

// Follow keeps a run alive until stop is called. claim is for the script.
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
				_ = touch() // a full disk may have room the next time
			}
		}
	}()
	return claim, func() {
		close(done)
		<-ended
		_ = os.Remove(claim) // the next follower writes it again
	}, nil
}

// playDirectory has the files of a run. It is in memory, in the run's own mount namespace, so that the files disappear
// with the run, however it ends.
const playDirectory = "/run/windlass-playbook"

// Input makes the run's standard input: the files for playDirectory.
func (*Playbooks) Input(in scripts.PlayInput) ([]byte, error) {
	program, err := scripts.PlayProgram()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"play.sh": []byte(program), "callback/windlass.py": scripts.AnsibleCallback,
		"resolv.conf": ownnet.ResolvConf(), "passwd": []byte("root:x:0:0::" + filepath.Join(playDirectory, "home") + ":/bin/sh\n"),
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

// receive writes the files from Input.
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
