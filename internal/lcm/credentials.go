package lcm

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/params"
)

// healParams are additionalParams of a heal request, as far as Windlass reads them. They are laid over those that the
// VNF was instantiated with (RFC 7396): null takes a password or a key away when the other is given.
type healParams struct {
	// KeepVolumes lets a machine that is made anew have its volumes back. Tacker's All says the opposite.
	KeepVolumes *bool        `json:"keep_volumes"`
	All         *bool        `json:"all"`
	Patience    *int         `json:"patience" param:"min=1; max=3600; unit=seconds"`
	Cluster     *healCluster `json:"k8s_cluster_installation_param" param:"notnull"`
}

type healCluster struct {
	MasterNode    *healCredentials `json:"master_node" param:"notnull"`
	WorkerNode    *healCredentials `json:"worker_node" param:"notnull"`
	StorageServer *healCredentials `json:"storage_server" param:"notnull"`
	Ansible       *healCredentials `json:"ansible" param:"notnull"`
	// LoadBalancer has other names for the same, as Tacker has them.
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

// changedSecret is a secret that null takes away.
type changedSecret struct {
	Secret
	removed bool
}

// ReadParam implements params.Own.
func (s *changedSecret) ReadParam(doc json.RawMessage) (must string) {
	s.removed = string(doc) == "null"
	return s.Secret.ReadParam(doc)
}

// CheckMembers implements params.Checker.
func (p healParams) CheckMembers(wrong params.Wrong) {
	if p.KeepVolumes != nil && p.All != nil && *p.KeepVolumes == *p.All {
		wrong(HealAll, "contradicts %s: give one of them", KeepVolumes)
	}
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

// CredentialProblems lists every mistake in what a heal request changes of the cluster's parameters. That is the
// credentials of all roles: the cluster was made with the rest, and stays so.
func CredentialProblems(body json.RawMessage) []Problem {
	var request struct {
		AdditionalParams healParams `json:"additionalParams"`
	}
	problems, unknown := Tackers.Read("$", body, &request)
	problems = params.Join(problems, Tackers.Check("$", request))
	for _, p := range unknown {
		if strings.HasPrefix(p.Path, clusterParamsPath) {
			p.Detail = "cannot be changed now: only username, password and private_key of master_node, worker_node, " +
				"storage_server and ansible can, and ssh_username, ssh_password and ssh_private_key of external_lb_param."
			problems = append(problems, p)
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return problems
}
