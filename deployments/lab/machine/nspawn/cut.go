package nspawn

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Cut ends the processes that serve SSH connections; for the clients this looks like a network failure. Commands that
// do not depend on their connection continue.
func (h *Hypervisor) Cut(_ context.Context, id string) (connections int, err error) {
	i, err := h.acquire(id)
	if err != nil {
		return 0, err
	}
	defer i.busy.Unlock()
	if !i.running() {
		return 0, lcm.Errorf(lcm.KindConflict, "Machine %s does not run.", id)
	}
	for _, pid := range i.cg.pids() {
		title, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || !servesConnection(string(title)) {
			continue
		}
		if unix.Kill(pid, unix.SIGKILL) == nil {
			connections++
		}
	}
	return connections, nil
}

// servesConnection matches the process titles "sshd: debian [priv]" and "sshd: debian@notty". It does not match the
// listener's title, "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups".
func servesConnection(title string) bool {
	return strings.HasPrefix(title, "sshd: ") && !strings.Contains(title, "[listener]")
}
