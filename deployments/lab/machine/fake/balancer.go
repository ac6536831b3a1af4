package fake

import (
	"context"
	"strings"
)

// balanceExternally lets a machine before a cluster have HAProxy's configuration.
func (d *Driver) balanceExternally(ctx context.Context, m *Machine, p Params) Result {
	if failed := p.lacks("haproxy"); failed != nil {
		return *failed
	}
	haproxy := p.Input("haproxy")
	if !p.Work(ctx) {
		return interrupted
	}
	m.WriteFile("/etc/haproxy/haproxy.cfg", []byte(haproxy), 0o644)
	for _, server := range haproxyServer.FindAllStringSubmatch(haproxy, -1) {
		p.Print("HAProxy sends to " + server[1] + " at " + strings.Trim(server[2], "[]"))
	}
	return Result{}
}

// runBalancerScript remembers the nodes that a package's own script would have been given.
func (d *Driver) runBalancerScript(ctx context.Context, m *Machine, p Params) Result {
	if failed := p.lacks("script"); failed != nil {
		return *failed
	}
	if !p.Work(ctx) {
		return interrupted
	}
	m.WriteFile("/var/lib/windlass/balanced", []byte("-m "+p.Get("CONTROL_PLANES")+" -w "+p.Get("WORKERS")+"\n"), 0o644)
	return Result{}
}
