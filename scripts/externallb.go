package scripts

import (
	"fmt"
	"strings"
)

// balancerLibrary handles the configuration of several owners on a load balancer before a cluster.
const balancerLibrary = "lib-balancer"

// BalanceExternally installs HAProxy on a server that is no node, and runs it with a valid configuration. HAProxy
// checks the file before it replaces a working one, and a reload drops no connection. Inputs: haproxy; nodes, lines of
// "name address"; exposed, lines of "owner port ..." for a new server to take over; keepalived, if servers share an
// address.
type BalanceExternally struct {
	Node string
	Port int
	// Timeout is how long, in seconds, HAProxy may take to start; LockFor bounds the wait for other installations.
	Timeout, LockFor int
	// Serves requires an API server that answers behind HAProxy.
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

// RunBalancerScript runs a script of the package on an external load balancer. The script gets Tacker's arguments: all
// nodes of the cluster in its target state. Input: script.
type RunBalancerScript struct{ ControlPlanes, Workers []string }

// Name implements Script.
func (RunBalancerScript) Name() string { return "run-balancer-script" }

// Render implements Script.
func (s RunBalancerScript) Render() (string, error) {
	return render(s.Name(), []param{
		required("CONTROL_PLANES", strings.Join(s.ControlPlanes, ",")), optional("WORKERS", strings.Join(s.Workers, ",")),
	})
}

// ExposeServices makes a load balancer before a cluster serve a VNF's Services on that cluster, under their node ports.
// It removes the VNF's other ports; an empty list removes all. Result: ours, "no" if Windlass has not set up the load
// balancer; then the script has done nothing.
type ExposeServices struct {
	// Owner is the id of the VNF.
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

// RunExposureScript runs a script of a package that exposes Services on a load balancer, with Tacker's arguments.
// Input: script.
type RunExposureScript struct {
	// Services are entries of "namespace,name,port,...".
	Services []string
	// Add exposes the Services; without it the script removes them.
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

// spaced joins numbers with blanks for a shell.
func spaced(ports []int) string { return strings.Trim(fmt.Sprint(ports), "[]") }
