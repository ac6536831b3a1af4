package scripts

import "strings"

const hostsLibrary = "lib-hosts"

// TellHosts writes the names of the nodes into /etc/hosts, as PrepareNode does, and does nothing else.
type TellHosts struct {
	Node  string
	Hosts []string // "address name", the order is kept
}

// Name implements Script.
func (TellHosts) Name() string { return "tell-hosts" }

// Render implements Script.
func (s TellHosts) Render() (string, error) {
	return render(s.Name(), []param{required("NODE_NAME", s.Node), required("HOSTS", strings.Join(s.Hosts, ","))},
		hostsLibrary)
}
