//go:build linux && (amd64 || arm64)

package userdata

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const (
	readFile = ll.AccessFSReadFile
	readTree = readFile | ll.AccessFSReadDir
	runTree  = readTree | ll.AccessFSExecute
	runFile  = readFile | ll.AccessFSExecute
)

// versions are the versions of Landlock, each with all the rights that it can refuse.
var versions = []landlock.Config{
	landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6, landlock.V7, landlock.V8,
	landlock.V9, landlock.V10, landlock.V11,
}

// restrictFiles allows the process to read Python, its libraries and the package only. This also blocks /proc, and so
// other processes' environments and memory, and every use of networks and processes that the kernel's Landlock can
// refuse. It does not call the library's Config.Restrict: ADR 16 has the reasons.
func restrictFiles(interpreter, dir string, network bool) error {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return fmt.Errorf("this kernel has no Landlock "+
			"(Linux 5.13 and later, with landlock among its security modules): %w", err)
	}
	known := versions[min(version, len(versions))-1]
	refused := ll.RulesetAttr{
		HandledAccessFS: uint64(known.HandledAccessFS), HandledAccessNet: uint64(known.HandledAccessNet),
		Scoped: uint64(known.Scoped),
	}
	if network {
		refused.HandledAccessNet = 0
	}
	ruleset, err := ll.LandlockCreateRuleset(&refused, 0)
	if err == nil {
		err = allowAll(ruleset, interpreter, dir)
	}
	if err == nil && network {
		err = allowNames(ruleset)
	}
	if err == nil {
		err = ll.LandlockRestrictSelf(ruleset, 0)
	}
	if err != nil {
		return fmt.Errorf("files cannot be restricted (Landlock): %w", err)
	}
	return nil
}

// allowAll allows the paths that the process may read.
func allowAll(ruleset int, interpreter, dir string) error {
	trees := []string{"/usr", "/lib", "/lib64"}
	if prefix := filepath.Dir(filepath.Dir(interpreter)); prefix != "/" { // an interpreter with its own prefix
		trees = append(trees, prefix)
	}
	settings, _ := filepath.Glob("/etc/python3*")
	return errors.Join(
		allow(ruleset, runTree, trees...),
		allow(ruleset, readTree, append(settings, dir)...),
		allow(ruleset, readFile, "/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/etc/localtime"),
		allow(ruleset, runFile, interpreter),
	)
}

// allowNames allows the files for finding other hosts and their keys.
func allowNames(ruleset int) error {
	return errors.Join(
		allow(ruleset, readFile, "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
			"/etc/services", "/etc/protocols", "/etc/ssl/openssl.cnf"),
		allow(ruleset, readTree, "/etc/ssl/certs"),
	)
}

// allow allows the paths that exist and skips the others.
func allow(ruleset int, rights uint64, paths ...string) error {
	for _, path := range paths {
		if err := allowPath(ruleset, rights, path); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func allowPath(ruleset int, rights uint64, path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return ll.LandlockAddPathBeneathRule(ruleset, &ll.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0)
}
