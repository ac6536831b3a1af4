package worker

import (
	"fmt"
	"os"
	"strings"
)

// identity names a process to Temporal, so that a later process on the same machine can be sure that it has ended.
type identity struct {
	boot  string // of the machine
	pidns string // the namespace that pid counts in: containers of one machine have their own
	pid   int
	start string // clock ticks since boot: another process may get the same pid
}

// identityPrefix separates our identities from those of other workers.
const identityPrefix = "windlass-worker/"

// ownIdentity is the identity of this process; false where the system does not tell enough.
func ownIdentity() (id identity, ok bool) {
	if seen, err := os.Readlink("/proc/self"); err != nil || seen != fmt.Sprint(os.Getpid()) {
		return id, false // no /proc, or the one of another namespace
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return id, false
	}
	pidns, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return id, false
	}
	id = identity{boot: strings.TrimSpace(string(boot)), pidns: strings.Trim(pidns, "pid:[]"), pid: os.Getpid()}
	id.start = startOf(id.pid)
	return id, id.start != ""
}

func (id identity) String() string {
	return fmt.Sprintf("%s%s/%s/%d/%s", identityPrefix, id.boot, id.pidns, id.pid, id.start)
}

// parseIdentity reads the output of String.
func parseIdentity(text string) (id identity, ok bool) {
	rest, ours := strings.CutPrefix(text, identityPrefix)
	parts := strings.Split(rest, "/")
	if !ours || len(parts) != 4 {
		return id, false
	}
	id.boot, id.pidns, id.start = parts[0], parts[1], parts[3]
	_, err := fmt.Sscan(parts[2], &id.pid)
	return id, err == nil && id.pid > 0 && id.start != ""
}

// gone tells whether the process has surely ended. Nothing is known of a process on another machine, before a reboot,
// or in another container.
func (id identity) gone(own identity) bool {
	return id.boot == own.boot && id.pidns == own.pidns && startOf(id.pid) != id.start
}

// startOf is the start time of a process: the 22nd field of its stat. The second field may hold any characters. It is
// "" for a process that is gone or a zombie.
func startOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}
