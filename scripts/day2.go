package scripts

import "strings"

const (
	etcdLibrary  = "lib-etcd"
	leaveLibrary = "lib-leave"
	hostsLibrary = "lib-hosts"
)

// ClusterHealth tells how the nodes and the members of etcd are. Results, in base64: "node"
// (name|Ready|cordoned|reason|message) and "member" (id|name|peer|started|learner|healthy), one for each; or "quorum"
// is lost (not in base64) when etcd on this node finds no majority.
type ClusterHealth struct {
	Member
	Timeout int
}

// Name implements Script.
func (ClusterHealth) Name() string { return "cluster-health" }

// Render implements Script.
func (s ClusterHealth) Render() (string, error) {
	return render(s.Name(), s.params(s.Timeout), kubeLibrary, etcdLibrary)
}

// DrainNode cordons a node and moves its pods away. Results: "absent" is yes when the cluster does not know it; "ready"
// is no when the node was not, "forced" is yes when pods were deleted without their consent, "attached" (base64) names
// the volumes that were not detached in time.
type DrainNode struct {
	Member
	Leaving   string
	DrainFor  int  // seconds for the pods
	Force     bool // what is left then is deleted, else the script fails
	DetachFor int  // seconds for the volumes
	// Off is the VIM's word for the node's server, where that does not run: the node is not ready then, whatever
	// Kubernetes believes.
	Off string
}

// Name implements Script.
func (DrainNode) Name() string { return "drain-node" }

// Render implements Script.
func (s DrainNode) Render() (string, error) {
	policy := "fail"
	if s.Force {
		policy = "force"
	}
	return render(s.Name(), append(s.params(s.DrainFor), required("LEAVING", s.Leaving), number("DRAIN_FOR", s.DrainFor),
		required("POLICY", policy), number("DETACH_FOR", s.DetachFor), optional("OFF", s.Off)), kubeLibrary, leaveLibrary)
}

// UncordonNode lets pods onto a node again; a node that the cluster does not know is left alone.
type UncordonNode struct {
	Member
	Leaving string
	Timeout int
}

// Name implements Script.
func (UncordonNode) Name() string { return "uncordon-node" }

// Render implements Script.
func (s UncordonNode) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("LEAVING", s.Leaving)), kubeLibrary, leaveLibrary)
}

// DeleteNode deletes a node object and waits until it is gone.
type DeleteNode struct {
	Member
	Leaving string
	Timeout int
}

// Name implements Script.
func (DeleteNode) Name() string { return "delete-node" }

// Render implements Script.
func (s DeleteNode) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("LEAVING", s.Leaving)), kubeLibrary, leaveLibrary)
}

// LeavingMember is a control plane whose member of etcd goes.
type LeavingMember struct{ Name, PeerURL string }

// RemoveMembers removes the members of etcd that belong to control planes that leave, one at a time, and waits after
// each until the others are healthy. What would cost the quorum is refused. Result: "quorum" is lost when etcd on this
// node finds no majority, and nothing was removed.
type RemoveMembers struct {
	Member
	Leaving []LeavingMember
	Timeout int // for each wait
}

// Name implements Script.
func (RemoveMembers) Name() string { return "remove-members" }

// Render implements Script.
func (s RemoveMembers) Render() (string, error) {
	var leaving []string
	for _, m := range s.Leaving {
		leaving = append(leaving, m.Name+"="+m.PeerURL)
	}
	return render(s.Name(), append(s.params(s.Timeout), required("LEAVING", strings.Join(leaving, " "))), kubeLibrary,
		etcdLibrary)
}

// RetireNode stops what a node does for its cluster: keepalived, or all of it; then the node can join anew.
type RetireNode struct {
	Member
	OnlyVirtualIP bool // only keepalived
}

// Name implements Script.
func (RetireNode) Name() string { return "retire-node" }

// Render implements Script.
func (s RetireNode) Render() (string, error) {
	return render(s.Name(), append(s.params(60), flag("WHOLE", !s.OnlyVirtualIP)), kubeLibrary)
}

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
