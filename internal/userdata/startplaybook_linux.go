//go:build linux && (amd64 || arm64)

package userdata

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/windlass-nfv/windlass/internal/ownnet"
)

// tryAgain is the exit code of a run that may succeed at another attempt, from sysexits.h.
const tryAgain = 75

// errUnclaimed ends a run without a follower.
var errUnclaimed = errors.New("nobody follows the run")

// startPlaybook runs a playbook confined, in a separate process that inherits the standard input and output. It returns
// the exit code. The kernel ends the child with the thread that started it, which is the caller's.
func startPlaybook(claim, lease, playbook, policy string) int {
	limit, err := time.ParseDuration(lease)
	if err != nil {
		fmt.Printf("windlass: the playbook could not be run here: the lease cannot be read: %s\n", err)
		return 1
	}
	reach, err := ownnet.Parse(policy)
	if err != nil {
		fmt.Printf("windlass: the playbook could not be run here: the policy of its network cannot be read: %s\n", err)
		return 1
	}
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	// Without groups, each process has its own limits only; the worker's log says so.
	if leave, err := hostGroups().join(strconv.Itoa(os.Getpid())); err == nil {
		defer leave()
	}
	child := exec.CommandContext(ctx, "/proc/self/exe")
	child.Args = []string{childName, "/bin/bash", playDirectory, playProfile, playbook}
	child.Env = []string{"LANG=C.UTF-8"}
	child.Dir = "/"
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	child.SysProcAttr = apart()
	net, err := ownNetwork(child, reach, os.Geteuid() == 0)
	if err != nil {
		fmt.Printf("windlass: the playbook could not be run here: it has no network of its own: %s. Give ansible.server, or "+
			"give the worker /dev/net/tun.\n", err)
		return tryAgain
	}
	defer net.end()
	if err := child.Start(); err != nil {
		fmt.Printf("windlass: the playbook could not be run here: the process could not be started (%s). Give "+
			"ansible.server, or let the worker make namespaces of users, mounts, processes and networks.\n", err)
		return tryAgain
	}
	if err := net.serve(ctx, sayDenied); err != nil && !errors.Is(err, errNoDevice) { // else the child says why
		end(&unservedError{err})
	}
	go func() {
		awaitUnclaimed(claim, limit)
		end(errUnclaimed)
	}()
	err = child.Wait()
	_ = os.Remove(claim)
	exit, ended := errors.AsType[*exec.ExitError](err)
	unserved, _ := errors.AsType[*unservedError](context.Cause(ctx))
	switch {
	case errors.Is(context.Cause(ctx), errUnclaimed):
		fmt.Printf("windlass: no worker followed the playbook for %s, so it was ended\n", limit)
		return tryAgain
	case unserved != nil:
		fmt.Printf("windlass: the playbook could not be run here: %s\n", unserved)
		return tryAgain
	case err == nil:
		return 0
	case ended && exit.Exited():
		return exit.ExitCode()
	}
	fmt.Printf("windlass: the playbook was ended before it could report why: %s\n", err)
	return 1
}

// sayDenied writes to the output of the run.
func sayDenied(to netip.AddrPort) {
	fmt.Printf("The playbook may not connect to %s from the worker's host (vims.deniedNetworks, or a server of Windlass).\n", to)
}

// awaitUnclaimed returns when nobody has touched the claim for the lease, by the clock of this process.
func awaitUnclaimed(claim string, lease time.Duration) {
	touched, since := time.Time{}, time.Now()
	for time.Since(since) <= lease {
		time.Sleep(min(time.Second, lease/4))
		if info, err := os.Stat(claim); err == nil && !info.ModTime().Equal(touched) {
			touched, since = info.ModTime(), time.Now()
		}
	}
}
