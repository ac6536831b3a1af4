//go:build linux && (amd64 || arm64)

package userdata

import (
	"errors"
	"fmt"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// The rights of Landlock's first version: everything that opening, executing, making and removing files needs.
	firstRights = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	readFile    = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readTree    = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	runTree     = readTree | unix.LANDLOCK_ACCESS_FS_EXECUTE
	runFile     = readFile | unix.LANDLOCK_ACCESS_FS_EXECUTE
)

// restrictFiles leaves Python, its libraries and the package, to read. With it go /proc and thus the environments and memories of
// other processes, and TCP where the kernel knows how.
func restrictFiles(interpreter, dir string) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return fmt.Errorf("this kernel has no Landlock (Linux 5.13 and later, with landlock among its security modules): %w", errno)
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: firstRights}
	for since, right := range map[uintptr]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= since {
			attr.Handled_access_fs |= right
		}
	}
	if version >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	//nolint:gosec // G103: the kernel reads the structure during the call
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("files cannot be restricted (Landlock): %w", errno)
	}
	if err := allowAll(int(ruleset), interpreter, dir); err != nil {
		return fmt.Errorf("files cannot be restricted (Landlock): %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("files cannot be restricted (Landlock): %w", errno)
	}
	return nil
}

// allowAll says what may be read.
func allowAll(ruleset int, interpreter, dir string) error {
	trees := []string{"/usr", "/lib", "/lib64"}
	if prefix := filepath.Dir(filepath.Dir(interpreter)); prefix != "/" { // an interpreter that was installed elsewhere
		trees = append(trees, prefix)
	}
	settings, _ := filepath.Glob("/etc/python3*")
	var errs []error
	for _, tree := range trees {
		errs = append(errs, allow(ruleset, tree, runTree))
	}
	for _, tree := range append(settings, dir) {
		errs = append(errs, allow(ruleset, tree, readTree))
	}
	for _, file := range []string{"/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/etc/localtime"} {
		errs = append(errs, allow(ruleset, file, readFile))
	}
	return errors.Join(append(errs, allow(ruleset, interpreter, runFile))...)
}

// allow adds what is there; what is not need not be allowed.
func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = unix.Close(fd) }()
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)} //nolint:gosec // G115: descriptors are small
	//nolint:gosec // G103: the kernel reads the structure during the call
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("%s: %w", path, errno)
	}
	return nil
}
