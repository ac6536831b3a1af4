package scripts

import (
	"fmt"
	"strings"
)

// balancerLibrary is what a server before a cluster has of several owners.
const balancerLibrary = "lib-balancer"

// BalanceExternally installs HAProxy on a server that is no node, and lets it run with a configuration that is whole.
// HAProxy checks the file before it replaces a working one, and a reload drops no connection. Inputs: haproxy; nodes,
// "name address" a line; exposed, "owner port ..." a line, which a server takes over that is new; keepalived, where
// servers share an address.
type BalanceExternally struct {
	Node string
	Port int
	// For how long, in seconds, HAProxy may take to run; LockFor bounds other installations.
	Timeout, LockFor int
	// Serves wants an API server behind HAProxy.
	Serves bool
	// Shared lets keepalived run beside HAProxy.
	Shared  bool
	NoProxy string
}

// Name implements Script.
func (BalanceExternally) Name() string { return "balance-externally" }

// Render implements Script.
func (s BalanceExternally) Render() (string, error) {
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), number("PORT", s.Port), number("TIMEOUT", s.Timeout), number("LOCK_FOR", s.LockFor),
		flag("SERVES", s.Serves), flag("SHARED", s.Shared), optional("NO_PROXY_LIST", s.NoProxy),
	}, cloudInitLibrary, aptLibrary, haproxyLibrary, balancerLibrary)
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

// ExposeServices lets a server before a cluster serve the Services of a VNF on that cluster, under the ports that they
// have on all nodes, and no others of that VNF: none takes them away. Result: ours, "no" where Windlass has not set the
// load balancer up and the script has done nothing.
type ExposeServices struct {
	// Owner is the VNF.
	Owner   string
	Ports   []int
	Timeout int
}

// Name implements Script.
func (ExposeServices) Name() string { return "expose-services" }

// Render implements Script.
func (s ExposeServices) Render() (string, error) {
	return render(s.Name(), []param{
		required("OWNER", s.Owner), optional("PORTS", spaced(s.Ports)), number("TIMEOUT", s.Timeout), flag("SERVES", false),
	}, haproxyLibrary, balancerLibrary)
}

// RunExposureScript runs a script of a package that exposes Services on a load balancer, with the arguments that Tacker
// gives it. Input: script.
type RunExposureScript struct {
	// Services are "namespace,name,port,..." each.
	Services []string
	// Add exposes them; without it they are taken away.
	Add bool
}

// Name implements Script.
func (RunExposureScript) Name() string { return "run-exposure-script" }

// Render implements Script.
func (s RunExposureScript) Render() (string, error) {
	return render(s.Name(), []param{
		required("SERVICES", strings.Join(s.Services, "#")), {"ADD", map[bool]string{true: "True", false: "False"}[s.Add], true},
	})
}

// spaced is a list for a shell.
func spaced(ports []int) string { return strings.Trim(fmt.Sprint(ports), "[]") }
