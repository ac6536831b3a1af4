package scripts

import "strings"

// Member says which node of which cluster a script works for. The cluster's id keeps a node that once
// belonged to another cluster from passing for a member of this one.
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

// CheckMember tells how far a node has come: result "state" is new, half (an interrupted kubeadm), busy (one that
// still runs, or a script that runs it) or member;
// "kubeadm" is the version on the node. A member that does not work yet is waited for.
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

// KubeadmInit makes the cluster's first control plane. Input: config. A member is left alone, an
// interrupted init is reset first, and another kubeadm on the node is stopped.
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

// KubeadmJoin joins a node. Input: config. A member is left alone, an interrupted join is reset first.
// Another kubeadm on the node is stopped; where it joined a control plane, the next try goes on.
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

// AdmitMember runs on a control plane that works, before another one joins: it removes what an earlier,
// interrupted join of that node left in etcd and waits until etcd is healthy.
type AdmitMember struct {
	Member
	Joining string // the node that will join
	PeerURL string // its etcd's
	Timeout int
}

// Name implements Script.
func (AdmitMember) Name() string { return "admit-member" }

// Render implements Script.
func (s AdmitMember) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("JOINING", s.Joining), required("PEER_URL", s.PeerURL)),
		kubeLibrary)
}

// MintJoin makes the bootstrap token given as input token, and shares the control planes' certificates when
// the input certificate_key is there. Result: "ca", the cluster's CA certificate (base64).
type MintJoin struct {
	Member
	Operation string // labels the token, so that it can be found and deleted
	TTL       int    // seconds
	Timeout   int    // for the token to be signed
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

// WaitForNodes waits until all nodes are Ready and CoreDNS is available, and says what it waits for.
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

// CreateVimAccount makes the service account with which Windlass uses the cluster as a VIM. Its token gets
// into TokenFile, which RemoveFile takes away. Result: "ca", the cluster's CA certificate (base64).
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
