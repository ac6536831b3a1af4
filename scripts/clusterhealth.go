package scripts

const etcdLibrary = "lib-etcd"

// ClusterHealth reports the state of the nodes and of the etcd members. Results, in base64, one for each: "node"
// (name|Ready|cordoned|reason|message) and "member" (id|name|peer|started|learner|healthy). If etcd on this node finds
// no majority, the result "quorum" is lost (not in base64) instead.
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
