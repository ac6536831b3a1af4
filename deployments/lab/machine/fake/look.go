package fake

import (
	"context"
	"encoding/base64"
)

// lookAtNode tells what is on the machine. HAProxy and keepalived run once they were configured, until the machine
// dies.
func (d *Driver) lookAtNode(ctx context.Context, m *Machine, p Params) Result {
	if !p.Work(ctx) {
		return interrupted
	}
	w := d.state()
	w.mu.Lock()
	defer w.mu.Unlock()
	ca := ""
	for _, c := range w.clusters {
		if c.members[p.Get("NODE_NAME")] != nil && m.isMember(c.id) {
			ca = c.ca
		}
	}
	p.Result("ca", base64.StdEncoding.EncodeToString([]byte(ca)))
	ip := p.Get("VIRTUAL_IP")
	if ip == "" {
		return Result{}
	}
	haproxy, _ := m.files.read("/etc/haproxy/haproxy.cfg")
	_, runs := w.balancers[ip][m]
	p.Result("haproxy", base64.StdEncoding.EncodeToString(haproxy.content))
	p.Result("haproxy_runs", yesNo(runs))
	p.Result("keepalived_runs", yesNo(runs))
	p.Result("held", yesNo(w.holder(ip) == m))
	p.Result("answers", yesNo(w.answers(m, ip)))
	return Result{}
}
