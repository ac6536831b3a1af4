package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// defaultStateDir is the default directory for a lab's state.
func defaultStateDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/windlass-lab"
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "windlass-lab")
	}
	home, _ := os.UserHomeDir() // without a home it is in the working directory
	return filepath.Join(home, ".local", "state", "windlass-lab")
}

// info is what other commands need to know about a lab: the content of lab.json in the state directory.
type info struct {
	PID          int    `json:"pid"`
	URL          string `json:"url"`
	Listen       string `json:"listen"`
	Machines     string `json:"machines"`
	PasswordFile string `json:"password_file"`
	Region       string `json:"region"`
	Net0         string `json:"net0"`
	Public       string `json:"public"`
	// Ready is set while the lab answers.
	Ready bool `json:"ready"`
}

const (
	infoFile     = "lab.json"
	lockFile     = "lab.lock"
	databaseFile = "lab.db"
	passwordFile = "passwords.json"
	fakeDir      = "fake" // the saved fake machines while no lab runs
)

func readInfo(dir string) (info, error) {
	var i info
	b, err := os.ReadFile(filepath.Join(dir, infoFile))
	if errors.Is(err, fs.ErrNotExist) {
		return i, lcm.Errorf(lcm.KindNotFound, "There is no lab in %s. Start one with windlass-lab up.", dir)
	}
	if err == nil {
		err = json.Unmarshal(b, &i)
	}
	if err != nil {
		return i, fmt.Errorf("read lab: %w", err)
	}
	return i, nil
}

// write replaces the file atomically, because others may read it at the same time.
func (i info) write(dir string) error {
	b, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, infoFile), append(b, '\n'), 0o644)
}

func replaceFile(path string, content []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// takeStateDir locks the directory for the lifetime of this process. It fails with Conflict when another process has
// the lock.
func takeStateDir(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o711); err != nil { //nolint:gosec // machines' root file systems lie below, and their users must get in
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The lab cannot create the state directory %s.", dir)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The lab cannot lock the state directory %s.", dir)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil { //nolint:gosec // a descriptor fits
		_ = f.Close()
		return nil, lcm.Errorf(lcm.KindConflict,
			"Another windlass-lab runs in %s; take it down, or choose another --state-dir.", dir)
	}
	return f, nil
}

// awaitStateDir is takeStateDir with retries: status and openrc hold the lock for a moment when they check for a
// running lab.
func awaitStateDir(ctx context.Context, dir string) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		f, err := takeStateDir(dir)
		if !lcm.Is(err, lcm.KindConflict) {
			return f, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// passwords are the passwords of the cloud's users. Only the owner can read their file, and only openrc shows them.
type passwords struct {
	Demo  string `json:"demo"`
	Admin string `json:"admin"`
}

// ensurePasswords reads the file, or creates it.
func ensurePasswords(path string) (passwords, error) {
	p, err := readPasswords(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	p = passwords{Demo: rand.Text(), Admin: rand.Text()}
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return p, err
	}
	return p, replaceFile(path, append(b, '\n'), 0o600)
}

func readPasswords(path string) (passwords, error) {
	var p passwords
	stat, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	if stat.Mode().Perm()&0o077 != 0 {
		return p, lcm.Errorf(lcm.KindInvalid, "Other users can read %s; change its mode to 0600.", path)
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err == nil && (p.Demo == "" || p.Admin == "") {
		err = errors.New(`it must hold {"demo": "...", "admin": "..."}`)
	}
	if err != nil {
		return p, lcm.Wrap(lcm.KindInvalid, err, "The lab cannot read the passwords in %s.", path)
	}
	return p, nil
}
