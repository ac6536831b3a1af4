package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
)

// patient is a kind of node to heal.
type patient struct {
	figure string
	vdu    string                 // of the VNFD
	group  string                 // in the Base HOT
	pick   func(outputs) []string // returns the addresses of its kind
}

var patients = []patient{
	{"heal_real_worker", "workerNode", "worker_instance", func(o outputs) []string { return o.Workers }},
	{"heal_real_control_plane", "masterNode", "master_instance", func(o outputs) []string { return o.ControlPlanes }},
}

// heal compares how long Windlass and a plain script take to heal nodes of equal clusters on the same lab. Both times
// include the time in which Heat makes the new VM. The comparison polls Heat 50 times a second.
func (b *bench) heal(ctx context.Context) (err error) {
	if can, err := b.canBeReal("the healing of real nodes"); !can {
		return err
	}
	bed, err := newBed(ctx, "nspawn")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	runs := cmp.Or(b.runs, 3)
	windlass, err := bed.healByWindlass(ctx, runs)
	if err != nil {
		return err
	}
	script, err := bed.healByScript(ctx, runs)
	if err != nil {
		return err
	}
	for i, p := range patients {
		b.compare(p.figure, median(windlass[i]), median(script[i]), "s", "")
	}
	return nil
}

// healByWindlass makes a cluster and heals nodes of each kind. The times are in the order of patients.
func (b *bed) healByWindlass(ctx context.Context, runs int) (times [][]time.Duration, err error) {
	say("Windlass makes a cluster ...")
	cluster, err := b.instantiate(ctx, 1)
	if err != nil {
		return nil, err
	}
	times = make([][]time.Duration, len(patients))
	for range runs {
		for i, p := range patients {
			vnfc, err := b.newest(ctx, cluster.vnf, p.vdu)
			if err != nil {
				return nil, err
			}
			op, err := b.operate(ctx, cluster.vnf, "heal",
				map[string]any{"vnfcInstanceId": []string{vnfc}, "cause": "benchmark"})
			if err != nil {
				return nil, err
			}
			steps, err := b.steps(ctx, op)
			if err != nil {
				return nil, err
			}
			showSteps(steps)
			say("%s: Windlass took %.1f s.", p.figure, op.took().Seconds())
			times[i] = append(times[i], op.took())
		}
	}
	_, err = b.terminate(ctx, cluster.vnf)
	return times, err
}

// newest returns the VNFC of a VDU whose VM was made last.
func (b *bed) newest(ctx context.Context, vnf, vdu string) (id string, err error) {
	var inst struct {
		Info struct {
			Vnfcs []struct {
				ID       string `json:"id"`
				Vdu      string `json:"vduId"`
				Metadata struct {
					Created time.Time `json:"creation_time"`
				} `json:"metadata"`
			} `json:"vnfcResourceInfo"`
		} `json:"instantiatedVnfInfo"`
	}
	if _, err := b.call(ctx, http.MethodGet, "/vnflcm/v1/vnf_instances/"+vnf, nil, &inst); err != nil {
		return "", err
	}
	var last time.Time // Heat does not list the members of a group in order of time
	for _, v := range inst.Info.Vnfcs {
		if v.Vdu == vdu && v.Metadata.Created.After(last) {
			id, last = v.ID, v.Metadata.Created
		}
	}
	if id == "" {
		return "", fmt.Errorf("the VNF has no VNFC of %s", vdu)
	}
	return id, nil
}

func (b *bed) healByScript(ctx context.Context, runs int) (times [][]time.Duration, err error) {
	heat, err := b.heat(ctx)
	if err != nil {
		return nil, err
	}
	stack, err := heat.definition("baseline", 1)
	if err != nil {
		return nil, err
	}
	say("A script makes a cluster ...")
	id, at, err := heat.create(ctx, stack)
	if id != "" {
		defer func() { err = errors.Join(err, heat.delete(context.WithoutCancel(ctx), stack.name, id)) }()
	}
	if err != nil {
		return nil, err
	}
	if err := b.script(ctx, at, "baseline.sh"); err != nil {
		return nil, err
	}
	times = make([][]time.Duration, len(patients))
	for range runs {
		for i, p := range patients {
			began := time.Now()
			if at, err = b.healOne(ctx, heat, stack, id, at, p); err != nil {
				return nil, err
			}
			times[i] = append(times[i], time.Since(began))
			say("%s: the script took %.1f s.", p.figure, time.Since(began).Seconds())
		}
	}
	return times, nil
}

// healOne heals the last node of a kind and returns the addresses of the cluster afterwards.
func (b *bed) healOne(ctx context.Context, heat *heat, s stack, id string, at outputs, p patient) (outputs, error) {
	list := p.pick(at)
	old := list[len(list)-1]
	if err := b.script(ctx, at, "heal.sh", "leave", old); err != nil {
		return at, err
	}
	now, err := heat.replace(ctx, s, id, p.group, old)
	if err != nil {
		return at, err
	}
	fresh := slices.DeleteFunc(slices.Clone(p.pick(now)),
		func(a string) bool { return slices.Contains(list, a) && a != old })
	if len(fresh) != 1 {
		return now, fmt.Errorf("heat has replaced %d VMs: %s", len(fresh), strings.Join(fresh, ", "))
	}
	return now.inOrderOf(at), b.script(ctx, now.inOrderOf(at), "heal.sh", "arrive", fresh[0])
}

// inOrderOf keeps the old nodes in their order, and appends the new ones, so that the first control plane stays the
// first.
func (o outputs) inOrderOf(before outputs) outputs {
	order := func(now, was []string) []string {
		kept := slices.DeleteFunc(slices.Clone(was), func(a string) bool { return !slices.Contains(now, a) })
		return append(kept, slices.DeleteFunc(slices.Clone(now), func(a string) bool { return slices.Contains(kept, a) })...)
	}
	o.ControlPlanes, o.Workers = order(o.ControlPlanes, before.ControlPlanes), order(o.Workers, before.Workers)
	return o
}

// replace makes Heat replace the member of a group that has this address, and returns the stack's outputs afterwards.
func (h *heat) replace(ctx context.Context, s stack, id, group, address string) (out outputs, err error) {
	page, err := stackresources.List(h.client, s.name, id, stackresources.ListOpts{Depth: 3}).AllPages(ctx)
	if err != nil {
		return out, err
	}
	all, err := stackresources.ExtractResources(page)
	if err != nil {
		return out, err
	}
	member, err := h.member(ctx, all, group, address)
	if err != nil {
		return out, err
	}
	opts := stackresources.MarkUnhealthyOpts{MarkUnhealthy: true, ResourceStatusReason: "It is healed by hand."}
	if err := stackresources.MarkUnhealthy(ctx, h.client, member.stack, member.stackID, member.name,
		opts).ExtractErr(); err != nil {
		return out, fmt.Errorf("mark %s: %w", member.name, err)
	}
	if err := stacks.UpdatePatch(ctx, h.client, s.name, id, unchanged{}).ExtractErr(); err != nil {
		return out, fmt.Errorf("update the stack: %w", err)
	}
	return h.outputsOf(ctx, s.name, id)
}

// unchanged updates a stack without a change, so that Heat replaces only the marked resources.
type unchanged struct{}

// ToStackUpdatePatchMap implements gophercloud's interface.
func (unchanged) ToStackUpdatePatchMap() (map[string]any, error) {
	return map[string]any{"parameters": map[string]any{}, "disable_rollback": true, "timeout_mins": 10}, nil
}

// groupMember is a resource of a group's own stack.
type groupMember struct{ name, stack, stackID string }

// member finds the member of the group whose nested stack has the address in its outputs.
func (h *heat) member(ctx context.Context, all []stackresources.Resource, group, address string) (groupMember, error) {
	for _, r := range all {
		stackName, stackID := stackOf(r)
		if !strings.Contains(stackName, "-"+group+"-") || r.PhysicalID == "" || !strings.HasSuffix(r.Type, ".yaml") {
			continue
		}
		nested, err := stacks.Find(ctx, h.client, r.PhysicalID).Extract()
		if err != nil {
			return groupMember{}, err
		}
		for _, o := range nested.Outputs {
			if o["output_value"] == address {
				return groupMember{r.Name, stackName, stackID}, nil
			}
		}
	}
	return groupMember{}, fmt.Errorf("the group %s has no member with the address %s", group, address)
}

// stackOf returns the stack that a resource belongs to, from the resource's links.
func stackOf(r stackresources.Resource) (name, id string) {
	for _, l := range r.Links {
		if parts := strings.Split(l.Href, "/"); l.Rel == "stack" && len(parts) > 1 {
			return parts[len(parts)-2], parts[len(parts)-1]
		}
	}
	return "", ""
}
