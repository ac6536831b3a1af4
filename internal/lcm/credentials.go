package lcm

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// CredentialProblems lists every mistake in what a heal request changes of the cluster's parameters, which its
// additionalParams are laid over (RFC 7396). That is the credentials of all roles; null takes a password or a key
// away when the other is given.
func CredentialProblems(body json.RawMessage) (problems []Problem) {
	additional := newParamReader("$", body, &problems).object("additionalParams")
	additional.refuseNull(ClusterParamsKey)
	cluster := additional.object(ClusterParamsKey)
	var keep, replaced bool
	additional.boolean(KeepVolumes, &keep)
	additional.boolean(HealAll, &replaced)
	_, keeps := additional.member(KeepVolumes)
	if _, given := additional.member(HealAll); given && keeps && keep == replaced {
		additional.add(HealAll, "contradicts "+KeepVolumes+": give one of them.")
	}
	cluster.refuseNull("master_node", "worker_node", "storage_server")
	cluster.refuseOthers("master_node", "worker_node", "storage_server")
	for _, role := range []string{"master_node", "worker_node", "storage_server"} {
		cluster.object(role).credentials()
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return problems
}

func (r *paramReader) credentials() {
	var n NodeParams
	r.text("username", &n.Username)
	r.secret("password", &n.Password)
	r.secret("private_key", &n.PrivateKey)
	r.refuseOthers("username", "password", "private_key")
	if n.Username != "" && !userPattern.MatchString(n.Username) {
		r.add("username", "must be a Linux user name.")
	}
	r.refuseNull("username")
	if n.Password.IsZero() {
		r.refuseNull("private_key")
	}
	if n.PrivateKey.IsZero() {
		r.refuseNull("password")
	}
}

// refuseOthers notes every member but the known ones: the cluster was made with it, and stays so.
func (r *paramReader) refuseOthers(known ...string) {
	if r == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(r.members)) {
		if !slices.Contains(known, key) {
			r.add(key, "cannot be changed now: only username, password and private_key of master_node, worker_node and storage_server can.")
		}
	}
}

func (r *paramReader) refuseNull(keys ...string) {
	if r == nil {
		return
	}
	for _, key := range keys {
		if doc, ok := r.members[key]; ok && isAbsent(doc) {
			r.add(key, "must not be null.")
		}
	}
}

func (r *paramReader) add(key, detail string) {
	*r.problems = append(*r.problems, Problem{r.path + "." + key, detail})
}
