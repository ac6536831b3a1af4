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

// Confine drops the rights that a script must not have, and then executes Python, or a shell for a playbook. Or it
// starts such a process, and exits with it. It returns only if that fails. Its restrictions apply to one thread; the
// exec ends all others.
func Confine() error {
	runtime.LockOSThread()
	if len(os.Args) == 6 && os.Args[3] == scripts.PlayProfile {
		os.Exit(startPlaybook(os.Args[1], os.Args[2], os.Args[4], os.Args[5]))
	}
	if len(os.Args) == 5 && os.Args[3] == playProfile {
		fmt.Printf("windlass: the playbook could not be run here: %s. Give ansible.server, or let the worker make "+
			"namespaces of users, mounts, processes and networks.\n", confinePlaybook())
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
	if what.network {
		if err := ownScriptNetwork(dir); err != nil {
			return err
		}
	}
	// -I: no environment, no user directory; -B: no byte code, which could not be written.
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

// dropCapabilities takes root's capabilities from the process; no_new_privs prevents the exec from restoring them.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// bound limits a process that waits for its input, so that no script runs yet.
func bound(pid int, cpu time.Duration) error {
	seconds := uint64(max(1, cpu/time.Second))
	var errs []error
	for resource, most := range map[int]unix.Rlimit{
		unix.RLIMIT_AS: {Cur: memoryLimit, Max: memoryLimit},
		// At the soft limit the kernel ends the process with SIGXCPU, which names the reason. At the hard limit it sends
		// SIGKILL, which looks like a lack of memory.
		unix.RLIMIT_CPU:    {Cur: seconds, Max: seconds + 1},
		unix.RLIMIT_FSIZE:  {},
		unix.RLIMIT_CORE:   {},
		unix.RLIMIT_NOFILE: {Cur: 64, Max: 64},
	} {
		errs = append(errs, unix.Prlimit(pid, resource, &most, nil))
	}
	return errors.Join(errs...)
}

// overTime tells whether the kernel has ended a process because its CPU time was over.
func overTime(ended error) bool {
	exit, ok := errors.AsType[*exec.ExitError](ended)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGXCPU
}
