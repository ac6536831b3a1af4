//go:build linux && (amd64 || arm64)

package userdata

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/scripts"
)

// Confine takes from this process what a script must not have, and makes Python of it, or a shell for a
// playbook; or it starts such a process, and ends with it. It returns only when that fails. What it does counts for one thread; the exec ends all others.
func Confine() error {
	runtime.LockOSThread()
	if len(os.Args) == 5 && os.Args[3] == scripts.PlayProfile {
		os.Exit(startPlaybook(os.Args[1], os.Args[2], os.Args[4]))
	}
	if len(os.Args) == 5 && os.Args[3] == playProfile {
		fmt.Printf("windlass: the playbook could not be run here: %s. Give ansible.server, or let the worker make "+
			"namespaces of users, mounts and processes.\n", confinePlaybook())
		os.Exit(tryAgain)
	}
	interpreter, dir := os.Args[1], os.Args[2]
	what := profileOf(os.Args)
	runner := filepath.Join(dir, "python", what.runner)
	if what.dies {
		if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
			return fmt.Errorf("it cannot be ended with its worker: %w", err)
		}
	}
	// -I: no environment, no directory of the user's; -B: no byte code, which could not be written.
	argv := []string{interpreter, "-I", "-B", runner}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("privileges cannot be given up: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("capabilities cannot be given up: %w", err)
	}
	if err := restrictFiles(interpreter, dir, what.network); err != nil {
		return err
	}
	if err := restrictCalls(what.network); err != nil {
		return fmt.Errorf("system calls cannot be restricted (seccomp): %w", err)
	}
	return fmt.Errorf("%s cannot be run: %w", interpreter, syscall.Exec(interpreter, argv, os.Environ())) //nolint:gosec // G204: the operator's interpreter
}

// dropCapabilities leaves root without root's powers; without new privileges the exec does not bring them back.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// bound limits a process that waits for its input: no script runs yet.
func bound(pid int, cpu time.Duration) error {
	seconds := uint64(max(1, cpu/time.Second))
	var errs []error
	for resource, most := range map[int]unix.Rlimit{
		unix.RLIMIT_AS: {Cur: memoryLimit, Max: memoryLimit},
		// At the first the kernel says why it ends the process, SIGXCPU; at the second it kills, and nobody can tell that
		// from a lack of memory.
		unix.RLIMIT_CPU:    {Cur: seconds, Max: seconds + 1},
		unix.RLIMIT_FSIZE:  {},
		unix.RLIMIT_CORE:   {},
		unix.RLIMIT_NOFILE: {Cur: 64, Max: 64},
	} {
		errs = append(errs, unix.Prlimit(pid, resource, &most, nil))
	}
	return errors.Join(errs...)
}

// overTime tells whether the kernel has ended a process that had used up its time.
func overTime(ended error) bool {
	exit, ok := errors.AsType[*exec.ExitError](ended)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGXCPU
}
