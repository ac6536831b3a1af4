package scripts

import "strings"

const leaveLibrary = "lib-leave"

// DrainNode cordons a node and evicts its pods. Results: "absent" is yes if the cluster does not know the node; "ready"
// is no if the node was not Ready; "forced" is yes if the script deleted pods instead of evicting them; "attached"
// (base64) names the volumes that did not detach in time.
type DrainNode struct {
	Member
	Leaving   string
	DrainFor  int  // seconds for the pods
	Force     bool // deletes the pods that are left then; else the script fails
	DetachFor int  // seconds for the volumes
	// Off is the VIM's status of the node's server if the server does not run. The node then counts as not ready,
	// whatever Kubernetes reports.
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

// UncordonNode allows pods on a node again; it ignores a node that the cluster does not know.
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

// LeavingMember is a control plane whose etcd member leaves.
type LeavingMember struct{ Name, PeerURL string }

// RemoveMembers removes the etcd members of control planes that leave, one at a time. After each it waits until the
// other members are healthy. It refuses a removal that would cost the quorum. Result: "quorum" is lost if etcd on this
// node finds no majority; then it has removed nothing.
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

// RetireNode stops keepalived on a node, or everything that the node does for its cluster; then the node can join
// again.
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
