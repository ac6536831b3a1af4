package fake

import (
	"context"
	"encoding/base64"
	"strings"
)

// lookAtNode reports the state of the machine. HAProxy and keepalived run from their configuration until the machine
// dies.
func (h *Hypervisor) lookAtNode(_ context.Context, m *Machine, p ScriptParams) Result {
	w := h.locked()
	defer w.mu.Unlock()
	ca := ""
	for _, c := range w.clusters {
		if c.members[p.Get("NODE_NAME")] != nil && m.isMember(c.id) {
			ca = c.ca
		}
	}
	text := func(key, content string) { // as $(...) does, without the trailing newlines
		p.Result(key, base64.StdEncoding.EncodeToString([]byte(strings.TrimRight(content, "\n"))))
	}
	text("ca", ca)
	ip := p.Get("VIRTUAL_IP")
	if ip == "" {
		return Result{}
	}
	haproxy, _ := m.files.read("/etc/haproxy/haproxy.cfg")
	b, runs := w.balancers[ip][m]
	text("haproxy", string(haproxy.content))
	p.Result("haproxy_runs", yesNo(runs))
	p.Result("keepalived_runs", yesNo(runs && !b.alone))
	p.Result("held", yesNo(w.holder(ip) == m))
	p.Result("answers", yesNo(w.answers(m, ip)))
	return Result{}
}

// lookForRemains reports whether kubeadm, or a playbook, has made this machine a node.
func (h *Hypervisor) lookForRemains(_ context.Context, m *Machine, p ScriptParams) Result {
	p.Result("remains", yesNo(m.hasLeftovers()))
	return Result{}
}
