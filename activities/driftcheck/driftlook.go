package driftcheck

import (
	"context"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/storageserver"
	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Sites opens the parts of a VNF instance while no operation works on it.
type Sites interface {
	Site(ctx context.Context, id lcm.VnfInstanceID) (Site, error)
}

// Site is a VNF instance and the access to its parts. It stays in the worker.
type Site struct {
	Instance lcm.VnfInstance
	Drivers  []lifecycle.VnfDriver
	// DeploymentName and Owner identify the VNF's resources in the VIM.
	DeploymentName, Owner string
	// Capacity is the number of VMs of each VDU at the VNF's scale levels; empty when the VNFD does not say.
	Capacity []drift.Count
	// PlanHeal returns the error that would refuse a heal of these VNFCs.
	PlanHeal func(vnfcs []string, unhealthy map[string]string) error
	// HealGivenUp is the last given-up heal of the entire VNF; "" when there is none, or when a later heal succeeded.
	HealGivenUp lcm.OpOccID
	On          func(ctx context.Context) (vim.VIM, error)
	Dial        func(ctx context.Context, node lcm.Node) (reach.Host, error)
	// Follow returns the instance with the changes that its cluster has made by itself; nil for a VNF of servers.
	Follow func(made record.Outcome) lcm.InstantiatedVnfInfo
	// FollowedOn is the VIM type of the cluster. Followed tells whether the VNFCs of a VDU are on it.
	FollowedOn string
	Followed   func(vdu string) bool
	// Vim reads a registered VIM; NotFound when there is none.
	Vim func(ctx context.Context, id lcm.VimID) (lcm.Vim, error)
}

// cluster returns the driver of a VNF that is a Kubernetes cluster, nil for other VNFs.
func (s Site) cluster() *cluster.Common {
	if d := cluster.In(s.Drivers); d != nil {
		return d.Shared()
	}
	return nil
}

func (s Site) nodes() lcm.Nodes {
	if s.cluster() == nil || s.Instance.Instantiated == nil {
		return nil
	}
	return s.Instance.Instantiated.Nodes
}

func (s Site) serversOf(vnfcs []string) (servers []string) {
	if s.Instance.Instantiated == nil {
		return nil
	}
	for _, v := range s.Instance.Instantiated.VnfcResources {
		if slices.Contains(vnfcs, v.ID) {
			servers = append(servers, v.ComputeResource.ResourceID)
		}
	}
	return servers
}

// The limits of a look. A node that does not answer must not delay the check.
const (
	lookDial    = 20 * time.Second
	lookCommand = 30 * time.Second
	lookNode    = time.Minute
	lookCloud   = 2 * time.Minute
	lookCluster = 3 * time.Minute
)

// LookForDriftInput names the VNF instance to look at.
type LookForDriftInput struct {
	VnfInstanceID lcm.VnfInstanceID `json:"vnfInstanceId"`
	Trigger       lcm.DriftTrigger  `json:"trigger"`
}

// LookForDriftOutput is the result of a look. Of the text that was read on nodes, it holds only what parseNode accepts.
type LookForDriftOutput struct {
	// Gone is set when the VNF is not instantiated or is deleted, so there is nothing to look at.
	Gone bool `json:"gone,omitempty"`
	// Busy names the running operation; what the look sees during an operation has no meaning.
	Busy     string                          `json:"busy,omitempty"`
	Findings []lcm.DriftFinding              `json:"findings,omitempty"`
	Health   kubecluster.ClusterHealthOutput `json:"health"`
	// VirtualIPHolder is the control plane with the virtual IP; "" when not exactly one control plane holds it.
	VirtualIPHolder string `json:"virtualIpHolder,omitempty"`
}

// LookForDrift compares the intended state of a VNF with what its VIM, its nodes and its cluster report.
//
// Idempotent: it only reads. If a part cannot be seen, that is a finding and not a failure. Takes seconds, or minutes
// when nodes or the VIM do not answer. It asks all nodes in parallel.
func (d *Drift) LookForDrift(ctx context.Context, in LookForDriftInput) (out LookForDriftOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "check for drift", err) }()
	defer func() {
		if err != nil {
			d.count(in.Trigger, "failed")
		}
	}()
	defer activities.Heartbeat(ctx)()
	version, busy, err := d.ready(ctx, in.VnfInstanceID)
	if err != nil || version == 0 || busy != "" {
		return d.notNow(in.Trigger, busy, version == 0 && busy == "" && err == nil), err
	}
	if err := d.Records.ForgetNotified(ctx, in.VnfInstanceID); err != nil {
		return out, err
	}
	site, err := d.Sites.Site(ctx, in.VnfInstanceID)
	if err != nil {
		return out, err
	}
	inv, unseen := inventoryOf(ctx, site)
	seen := look(ctx, site, inv, unseen)
	out.Health = seen.health
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	after, busy, err := d.ready(ctx, in.VnfInstanceID)
	if err != nil || after != version || busy != "" { // an operation has changed the VNF during the look
		if busy == "" {
			busy = "An operation has changed the VNF instance meanwhile."
		}
		return d.notNow(in.Trigger, busy, false), err
	}
	if err := d.follow(ctx, &site, inv); lcm.Is(err, lcm.KindConflict) {
		return d.notNow(in.Trigger, lcm.Sentence(err), false), nil
	} else if err != nil {
		return out, err
	}
	info := site.Instance.Instantiated
	seen.want.Vnfcs, seen.want.Manual = info.VnfcResources, storageserver.HealedByPeople(info)
	out.Findings = drift.Compare(seen.want, seen.have, seen.parts...)
	out.VirtualIPHolder = seen.balancers.Holder(seen.want.Nodes)
	return out, nil
}

func (d *Drift) notNow(trigger lcm.DriftTrigger, busy string, gone bool) LookForDriftOutput {
	if busy != "" {
		d.count(trigger, "busy")
	}
	return LookForDriftOutput{Busy: busy, Gone: gone}
}

// ready returns the version of an instance, 0 when there is nothing to look at, and the running operation.
func (d *Drift) ready(ctx context.Context, id lcm.VnfInstanceID) (version int64, busy string, err error) {
	inst, err := d.Records.Instance(ctx, id)
	if lcm.Is(err, lcm.KindNotFound) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	if err := d.Records.CheckIdle(ctx, id); err != nil {
		if lcm.Is(err, lcm.KindConflict) {
			return inst.Version, lcm.Sentence(err), nil
		}
		return 0, "", err
	}
	if inst.InstantiationState != lcm.Instantiated || inst.Instantiated == nil {
		return 0, "", nil
	}
	return inst.Version, "", nil
}

// Subject is the VNF instance that is checked.
func (in LookForDriftInput) Subject() lcm.Subject {
	return lcm.Subject{VnfInstanceID: in.VnfInstanceID}
}
