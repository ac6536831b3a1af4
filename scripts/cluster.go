package scripts

import "strings"

// Member identifies the node and the cluster that a script works for. The cluster's id prevents a node of another,
// earlier cluster from counting as a member of this one.
type Member struct {
	Cluster      string
	Node         string
	Address      string
	ControlPlane bool
}

func (m Member) params(timeout int) []param {
	role := "worker"
	if m.ControlPlane {
		role = "control-plane"
	}
	return []param{
		required("CLUSTER", m.Cluster), required("NODE_NAME", m.Node), required("ADDRESS", m.Address),
		required("ROLE", role), number("TIMEOUT", timeout),
	}
}

const kubeLibrary = "lib-kube"

// CheckMember tells how far a node has come. Result "state" is new, half (an interrupted kubeadm), busy (kubeadm, or a
// script that runs it, still runs) or member. Result "kubeadm" is its version on the node. The script waits for a
// member that does not work yet.
type CheckMember struct {
	Member
	Timeout int
}

// Name implements Script.
func (CheckMember) Name() string { return "check-member" }

// Render implements Script.
func (s CheckMember) Render() (string, error) {
	return render(s.Name(), s.params(s.Timeout), kubeLibrary)
}

// KubeadmInit makes the cluster's first control plane. Input: config. It leaves a member alone, resets an interrupted
// init first, and stops another kubeadm on the node.
type KubeadmInit struct {
	Member
	TokenID string // of the token in the config: it is deleted at the end
	Timeout int
}

// Name implements Script.
func (KubeadmInit) Name() string { return "kubeadm-init" }

// Render implements Script.
func (s KubeadmInit) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("TOKEN_ID", s.TokenID)), kubeLibrary)
}

// KubeadmJoin joins a node. Input: config. It leaves a member alone, and resets an interrupted join first. It stops
// another kubeadm on the node; if that one was joining a control plane, the next try goes on from there.
type KubeadmJoin struct {
	Member
	Endpoint string // host:port of the cluster; it stands in the config too
	Timeout  int
}

// Name implements Script.
func (KubeadmJoin) Name() string { return "kubeadm-join" }

// Render implements Script.
func (s KubeadmJoin) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("ENDPOINT", s.Endpoint)), kubeLibrary)
}

// AdmitMember runs on a working control plane before another one joins. It removes the remains of an earlier,
// interrupted join of that node from etcd, and waits until etcd is healthy.
type AdmitMember struct {
	Member
	Joining string // the node that will join
	PeerURL string // its peer URL in etcd
	Timeout int
}

// Name implements Script.
func (AdmitMember) Name() string { return "admit-member" }

// Render implements Script.
func (s AdmitMember) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("JOINING", s.Joining), required("PEER_URL", s.PeerURL)),
		kubeLibrary)
}

// MintJoin creates the bootstrap token from the input token. If the input certificate_key is there, it also shares the
// control planes' certificates. Result: "ca", the cluster's CA certificate (base64).
type MintJoin struct {
	Member
	Operation string // labels the token, so that it can be found and deleted
	TTL       int    // seconds
	Timeout   int    // for the controller manager to sign cluster-info with the token
}

// Name implements Script.
func (MintJoin) Name() string { return "mint-join" }

// Render implements Script.
func (s MintJoin) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("OPERATION", s.Operation), number("TTL", s.TTL)),
		kubeLibrary)
}

// RevokeJoin deletes the tokens of an operation and the shared certificates.
type RevokeJoin struct {
	Member
	Operation string
}

// Name implements Script.
func (RevokeJoin) Name() string { return "revoke-join" }

// Render implements Script.
func (s RevokeJoin) Render() (string, error) {
	return render(s.Name(), append(s.params(60), required("OPERATION", s.Operation)), kubeLibrary)
}

// ApplyManifest applies Kubernetes objects. Input: manifest.
type ApplyManifest struct {
	Member
	Manifest string // its path in the package, for people
}

// Name implements Script.
func (ApplyManifest) Name() string { return "apply-manifest" }

// Render implements Script.
func (s ApplyManifest) Render() (string, error) {
	return render(s.Name(), append(s.params(60), required("MANIFEST", s.Manifest)), kubeLibrary)
}

// LabelNodes sets labels, as kubectl does.
type LabelNodes struct {
	Member
	Labels  []string // "node key=value key=value"
	Timeout int      // for a node to appear
}

// Name implements Script.
func (LabelNodes) Name() string { return "label-nodes" }

// Render implements Script.
func (s LabelNodes) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("LABELS", strings.Join(s.Labels, ","))), kubeLibrary)
}

// WaitForNodes waits until all nodes are Ready and CoreDNS is available, and prints what is missing.
type WaitForNodes struct {
	Member
	Nodes   []string
	Timeout int
}

// Name implements Script.
func (WaitForNodes) Name() string { return "wait-for-nodes" }

// Render implements Script.
func (s WaitForNodes) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("NODES", strings.Join(s.Nodes, " "))), kubeLibrary)
}

// CreateVimAccount creates the service account with which Windlass uses the cluster as a VIM. It writes the account's
// token to TokenFile; RemoveFile removes that file. Result: "ca", the cluster's CA certificate (base64).
type CreateVimAccount struct {
	Member
	TokenFile string
	Timeout   int
}

// Name implements Script.
func (CreateVimAccount) Name() string { return "create-vim-account" }

// Render implements Script.
func (s CreateVimAccount) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("TOKEN_FILE", s.TokenFile)), kubeLibrary)
}

// RemoveFile removes one file.
type RemoveFile struct{ File string }

// Name implements Script.
func (RemoveFile) Name() string { return "remove-file" }

// Render implements Script.
func (s RemoveFile) Render() (string, error) {
	return render(s.Name(), []param{required("FILE", s.File)})
}

// PointToSelf has kubectl on this control plane, and nodes that join, ask this control plane instead of those at the
// addresses Gone, and its API server use its own certificate for etcd instead of those of GoneNodes. kubespray needs it
// when the first control plane goes.
type PointToSelf struct {
	Member
	Gone, GoneNodes []string
}

// Name implements Script.
func (PointToSelf) Name() string { return "point-to-self" }

// Render implements Script.
func (s PointToSelf) Render() (string, error) {
	return render(s.Name(), append(s.params(60), required("GONE", strings.Join(s.Gone, " ")),
		required("GONE_NODES", strings.Join(s.GoneNodes, " "))), kubeLibrary)
}
