package kubecluster

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Vims is the registry of VIMs.
type Vims interface {
	VimByName(ctx context.Context, name string) (lcm.Vim, error)
	CreateVim(ctx context.Context, v lcm.Vim) error
	UpdateVim(ctx context.Context, v lcm.Vim) error
	DeleteClusterVim(ctx context.Context, id lcm.VimID, cluster lcm.VnfInstanceID) error
	ForgetHostKeys(ctx context.Context, inst lcm.VnfInstanceID, serverIDs ...string) error
}

// VimRegistry registers a cluster as a VIM, and deletes the data of nodes that are gone.
type VimRegistry struct {
	Vims Vims
	Vnfs activities.Vnfs
	// Look checks whether a Kubernetes API answers, and reads its properties. why is the reason if it does not answer,
	// else "".
	Look   func(ctx context.Context, vim lcm.Vim) (found lcm.VimFindings, why string)
	Forget func(ctx context.Context, prefix string) error
	Output activities.Output
}

// RegisterVimInput is the cluster that becomes a VIM.
type RegisterVimInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID      `json:"opOccId"`
	Account VimAccountOutput `json:"account"`
}

// RegisterVimOutput is the VIM's id.
type RegisterVimOutput struct {
	VimID lcm.VimID `json:"vimId"`
}

// RegisterVim registers the cluster as a VIM of type kubernetes, named vim_name.
//
// Idempotent: the id derives from the VNF instance, and an earlier registration is updated. If another VIM has that
// name, the error is a Conflict.
func (r *VimRegistry) RegisterVim(ctx context.Context, in RegisterVimInput) (out RegisterVimOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "register the cluster as a VIM", err) }()
	vnf, err := r.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	cluster, err := reach.ClusterDriver(vnf)
	if err != nil {
		return out, err
	}
	ctx = lcm.InProject(ctx, vnf.Instance.ProjectID) // the VIM and its name belong to the VNF's project
	vim := clusterVim(vnf.Instance.ID, cluster.Params, in.Account)
	found, why := r.Look(ctx, vim)
	vim.Found(found, time.Now().UTC())
	if why != "" {
		vim.Lost(why, false, time.Now().UTC())
		r.Output.Lines(ctx, in.Step)("Windlass itself cannot reach the new cluster at " + vim.AuthURL + " (" + why +
			"), but registers it anyway.")
	}
	out.VimID = vim.ID
	have, err := r.Vims.VimByName(ctx, vim.Name)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return out, r.Vims.CreateVim(ctx, vim)
	case err != nil:
		return out, err
	case have.ID != vim.ID:
		return out, lcm.Errorf(lcm.KindConflict,
			"A VIM named %q is registered already. Delete or rename it at /v1.0/vims, then retry.", vim.Name)
	}
	// Keep what users have set since: the description, and that it is the default.
	vim.Description, vim.IsDefault, vim.Updated = have.Description, have.IsDefault, have.Updated
	if why != "" {
		vim.Regions = have.Regions
	}
	return out, r.Vims.UpdateVim(ctx, vim)
}

func clusterVim(id lcm.VnfInstanceID, p k8s.Params, account VimAccountOutput) lcm.Vim {
	return lcm.Vim{
		ID: ClusterVimID(id), Name: p.VimNameOf(id), Type: lcm.VimKubernetes,
		AuthURL:     account.ServerURL,
		Description: "Kubernetes cluster of VNF instance " + string(id),
		AuthCred: map[string]any{
			"bearer_token": map[string]any{lcm.SecretKey: string(account.TokenRef)}, "ssl_ca_cert": account.CACert,
		},
		Project: map[string]any{"name": ""}, Status: lcm.VimReachable,
		Extra: map[string]any{lcm.ClusterOfParam: string(id)},
	}
}

// ClusterVimID is the VIM id of a VNF instance's cluster.
func ClusterVimID(id lcm.VnfInstanceID) lcm.VimID {
	return lcm.VimID(uuid.NewSHA1(uuid.NameSpaceURL, []byte("windlass:cluster-vim:"+id)).String())
}

// DeregisterVimInput names the VNF instance that is the cluster.
type DeregisterVimInput struct {
	activities.Tracked
	VnfInstanceID lcm.VnfInstanceID `json:"vnfInstanceId"`
}

// DeregisterVimOutput is empty.
type DeregisterVimOutput struct{}

// DeregisterVim removes the cluster from the registry and from the instance's vimConnectionInfo.
//
// Idempotent: a missing VIM counts as removed. A Conflict while another VNF runs on the cluster: that VNF must go
// first.
func (r *VimRegistry) DeregisterVim(ctx context.Context, in DeregisterVimInput) (out DeregisterVimOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "deregister the cluster", err) }()
	return out, r.Vims.DeleteClusterVim(ctx, ClusterVimID(in.VnfInstanceID), in.VnfInstanceID)
}

// ForgetNodesInput names the servers that are gone.
type ForgetNodesInput struct {
	activities.Tracked
	VnfInstanceID lcm.VnfInstanceID `json:"vnfInstanceId"`
	ServerIDs     []string          `json:"serverIds,omitempty"`
	// KeepCluster keeps the cluster's secrets: the cluster goes on without these nodes.
	KeepCluster bool `json:"keepCluster,omitempty"`
}

// ForgetNodesOutput is empty.
type ForgetNodesOutput struct{}

// ForgetNodes deletes the servers' pinned host keys and the secrets of their cluster.
// Idempotent: a missing key or secret counts as deleted.
func (r *VimRegistry) ForgetNodes(ctx context.Context, in ForgetNodesInput) (out ForgetNodesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "forget the nodes", err) }()
	if err := r.Vims.ForgetHostKeys(ctx, in.VnfInstanceID, in.ServerIDs...); err != nil {
		return out, err
	}
	if in.KeepCluster {
		return out, nil
	}
	return out, r.Forget(ctx, "vnf/"+string(in.VnfInstanceID)+"/cluster/")
}
