package secrets

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// newFile writes a file that only this user may read. It leaves nothing if it cannot write all of it.
func newFile(path, content string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return finish(f, content)
}

// replaceFile never leaves half a file: keys that are lost cannot be made again. The new file belongs to the owner of
// the former one, whose servers read it. A symbolic link stays, and its target is replaced.
func replaceFile(path, content string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return cannotWrite(err, path)
	}
	former, err := os.Stat(target)
	if err != nil {
		return cannotWrite(err, path)
	}
	f, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".new-") // mode 0600
	if err != nil {
		return cannotWrite(err, path)
	}
	if owner, ok := former.Sys().(*syscall.Stat_t); ok {
		err = f.Chown(int(owner.Uid), int(owner.Gid))
	}
	err = errors.Join(err, finish(f, content))
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return cannotWrite(err, path)
	}
	return cannotWrite(syncFolder(filepath.Dir(target)), path)
}

// finish writes a new file to the disk, or removes it.
func finish(f *os.File, content string) error {
	_, err := f.WriteString(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// lockFile waits until no other command changes the file. A change replaces the file, and so its lock: who has waited
// looks whether the file is still the one that it has locked.
func lockFile(path string) (unlock func(), err error) {
	for {
		f, err := os.Open(path)
		if err != nil {
			return nil, lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be read.", path)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil { //nolint:gosec // descriptors are small
			_ = f.Close()
			return nil, lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be locked.", path)
		}
		locked, err := f.Stat()
		now, err2 := os.Stat(path)
		if err == nil && err2 == nil && os.SameFile(locked, now) {
			return func() { _ = f.Close() }, nil
		}
		_ = f.Close()
		if err := errors.Join(err, err2); err != nil {
			return nil, lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be read.", path)
		}
	}
}

func cannotWrite(err error, path string) error {
	if err == nil {
		return nil
	}
	return lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be written.", path)
}
