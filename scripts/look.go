package scripts

// LookAtNode tells what a check for drift compares. Results: "ca", the cluster's CA certificate on the node (base64);
// with a virtual IP also "haproxy", HAProxy's configuration (base64), "haproxy_runs", "keepalived_runs", "held" (the
// virtual IP is the node's) and "answers" (HAProxy answers on it from here), yes or no each.
type LookAtNode struct {
	Node string
	// VirtualIP is that of the cluster; "" for a node that has no part in it.
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
