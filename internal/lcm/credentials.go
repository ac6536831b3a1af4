package lcm

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// WithCredentials returns p with the credentials that the request of a scaling or a healing gives in place of those
// of the instantiate request: additionalParams.k8s_cluster_installation_param with username, password and private_key
// of master_node and worker_node. body is the whole request, sealed or not.
func (p ClusterParams) WithCredentials(body json.RawMessage) (ClusterParams, error) {
	problems := p.override(body)
	return p, InvalidAll("The credentials in the request cannot be used", problems)
}

// CredentialProblems lists every mistake in the credentials of such a request, and whatever else it tries to change.
func CredentialProblems(body json.RawMessage) []Problem {
	return new(ClusterParams).override(body)
}

func (p *ClusterParams) override(body json.RawMessage) (problems []Problem) {
	cluster := newParamReader("$", body, &problems).object("additionalParams").object(ClusterParamsKey)
	for key, node := range map[string]*NodeParams{"master_node": &p.MasterNode, "worker_node": &p.WorkerNode} {
		o := cluster.object(key)
		o.text("username", &node.Username)
		o.secret("password", &node.Password)
		o.secret("private_key", &node.PrivateKey)
		o.refuseOthers("username", "password", "private_key")
		if o != nil && node.Username != "" && !userPattern.MatchString(node.Username) {
			problems = append(problems, Problem{o.path + ".username", "must be a Linux user name."})
		}
	}
	cluster.refuseOthers("master_node", "worker_node")
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return problems
}

// refuseOthers notes every member but the known ones: it would have no effect.
func (r *paramReader) refuseOthers(known ...string) {
	if r == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(r.members)) {
		if !slices.Contains(known, key) {
			*r.problems = append(*r.problems, Problem{
				r.path + "." + key, "cannot be changed now: only username, password and private_key of master_node and worker_node can.",
			})
		}
	}
}
