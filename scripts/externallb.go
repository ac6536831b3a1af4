package scripts

import "strings"

// BalanceExternally installs HAProxy on a server that is no node, and lets it run with a configuration that is whole.
// HAProxy checks the file before it replaces a working one, and a reload drops no connection. Input: haproxy.
type BalanceExternally struct {
	Node string
	Port int
	// For how long, in seconds, HAProxy may take to run; LockFor bounds other installations.
	Timeout, LockFor int
	// Serves wants an API server behind HAProxy.
	Serves  bool
	NoProxy string
}

// Name implements Script.
func (BalanceExternally) Name() string { return "balance-externally" }

// Render implements Script.
func (s BalanceExternally) Render() (string, error) {
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), number("PORT", s.Port), number("TIMEOUT", s.Timeout), number("LOCK_FOR", s.LockFor),
		flag("SERVES", s.Serves), optional("NO_PROXY_LIST", s.NoProxy),
	}, cloudInitLibrary, aptLibrary, haproxyLibrary)
}

// RunBalancerScript runs a script of the package on an external load balancer, with the arguments that Tacker gives it:
// all nodes as they are to be. Input: script.
type RunBalancerScript struct{ ControlPlanes, Workers []string }

// Name implements Script.
func (RunBalancerScript) Name() string { return "run-balancer-script" }

// Render implements Script.
func (s RunBalancerScript) Render() (string, error) {
	return render(s.Name(), []param{
		required("CONTROL_PLANES", strings.Join(s.ControlPlanes, ",")), optional("WORKERS", strings.Join(s.Workers, ",")),
	})
}
