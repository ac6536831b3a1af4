package scripts

// LookAtNode reads the values that a drift check compares. Results: "ca", the cluster's CA certificate on the node
// (base64). With a virtual IP also "haproxy", HAProxy's configuration (base64), and yes or no for each of
// "haproxy_runs", "keepalived_runs", "held" (the node has the virtual IP) and "answers" (HAProxy answers on the virtual
// IP from here).
type LookAtNode struct {
	Node string
	// VirtualIP is the cluster's; "" for a node that does not serve it.
	VirtualIP string
	Port      int
}

// Name implements Script.
func (LookAtNode) Name() string { return "look-at-node" }

// Render implements Script.
func (s LookAtNode) Render() (string, error) {
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), optional("VIRTUAL_IP", s.VirtualIP),
		number("PORT", s.Port),
	})
}

// LookForRemains looks whether kubeadm has begun to make the machine a node. Result: "remains", yes or no.
type LookForRemains struct{}

// Name implements Script.
func (LookForRemains) Name() string { return "look-for-remains" }

// Render implements Script.
func (s LookForRemains) Render() (string, error) { return render(s.Name(), nil) }
