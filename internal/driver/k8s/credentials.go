package k8s

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// healParams hold the cluster's parameters in a heal request. Windlass merges them into the parameters of the
// instantiation (RFC 7396). null removes a password or a key when the request gives the other one.
type healParams struct {
	Cluster *healCluster `json:"k8s_cluster_installation_param" param:"notnull"`
}

type healCluster struct {
	MasterNode    *healCredentials `json:"master_node" param:"notnull"`
	WorkerNode    *healCredentials `json:"worker_node" param:"notnull"`
	StorageServer *healCredentials `json:"storage_server" param:"notnull"`
	Ansible       *healCredentials `json:"ansible" param:"notnull"`
	// LoadBalancer has the same members under Tacker's other names.
	LoadBalancer *healBalancer `json:"external_lb_param" param:"notnull"`
}

type healBalancer struct {
	Username   string        `json:"ssh_username" param:"notnull; is=user name"`
	Password   changedSecret `json:"ssh_password"`
	PrivateKey changedSecret `json:"ssh_private_key"`
}

type healCredentials struct {
	Username   string        `json:"username" param:"notnull; is=user name"`
	Password   changedSecret `json:"password"`
	PrivateKey changedSecret `json:"private_key"`
}

// changedSecret is a secret that null removes.
type changedSecret struct {
	lcm.Secret
	removed bool
}

// ReadParam implements params.Own.
func (s *changedSecret) ReadParam(doc json.RawMessage) (must string) {
	s.removed = string(doc) == "null"
	return s.Secret.ReadParam(doc)
}

// CheckMembers implements params.Checker.
func (c healCredentials) CheckMembers(wrong params.Wrong) {
	if c.Password.removed && c.PrivateKey.IsZero() {
		wrong("password", "must not be null")
	}
	if c.PrivateKey.removed && c.Password.IsZero() {
		wrong("private_key", "must not be null")
	}
}

// CheckMembers implements params.Checker.
func (c healBalancer) CheckMembers(wrong params.Wrong) {
	healCredentials(c).CheckMembers(func(key, format string, args ...any) { wrong("ssh_"+key, format, args...) })
}

// HealProblems lists every mistake in the cluster's parameters of a heal request. It may change only the credentials of
// all roles: the cluster was made with the others, and keeps them. asked are the heal's additionalParams, had the VNF's.
func HealProblems(asked, had json.RawMessage) []lcm.Problem {
	const path = "$.additionalParams"
	var of healParams
	problems, unknown := lcm.Tackers.Read(path, withoutRepeated(asked, had), &of)
	problems = params.Join(problems, lcm.Tackers.Check(path, of))
	for _, p := range unknown {
		if strings.HasPrefix(p.Path, paramsPath) {
			p.Detail = "cannot be changed now: only username, password and private_key of master_node, worker_node, " +
				"storage_server and ansible can, and ssh_username, ssh_password and ssh_private_key of external_lb_param."
			problems = append(problems, p)
		}
	}
	slices.SortFunc(problems, func(a, b lcm.Problem) int { return strings.Compare(a.Path, b.Path) })
	return problems
}
