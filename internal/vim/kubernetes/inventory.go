package kubernetes

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// workloadPod is a Pod with the workload that it belongs to.
type workloadPod struct {
	pod      corev1.Pod
	workload Workload
	vdu      string // "" for a workload that is no VDU
	halted   bool   // it was there until the deployment was halted
}

// podsOf returns the Pods of a deployment by their owners: names of Pods are not reliable.
func (c *Connection) podsOf(ctx context.Context, r *record) (out []workloadPod, err error) {
	for _, namespace := range r.namespaces() {
		list, err := c.core.Pods(namespace).List(ctx, listOptions(r.Owner))
		if err != nil {
			return nil, translate("list the Pods", err)
		}
		sets, err := c.apps.ReplicaSets(namespace).List(ctx, listOptions(r.Owner))
		if err != nil {
			return nil, translate("list the ReplicaSets", err)
		}
		makers := map[string]Workload{}
		for _, set := range sets.Items {
			if of := metav1.GetControllerOf(&set); of != nil {
				makers[string(set.UID)] = Workload{of.Kind, of.Name}
			}
		}
		for _, pod := range list.Items {
			p := workloadPod{pod: pod, workload: Workload{"Pod", pod.Name}}
			if of := metav1.GetControllerOf(&pod); of != nil {
				p.workload = Workload{of.Kind, of.Name}
				if maker, ok := makers[string(of.UID)]; ok {
					p.workload = maker
				}
			}
			p.vdu = r.vduOf(p.workload)
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b workloadPod) int {
		return strings.Compare(a.pod.Namespace+a.pod.Name, b.pod.Namespace+b.pod.Name)
	})
	return out, nil
}

func (r *record) vduOf(w Workload) string {
	for vdu, of := range r.Workloads {
		if of == w {
			return vdu
		}
	}
	return ""
}

func (r *record) namespaces() []string { return namespacesOfAll(slices.Concat(r.Objects, r.Dropped)) }

// namespacesOfAll returns the namespaces of the objects.
func namespacesOfAll(objects []unstructured.Unstructured) (out []string) {
	for _, o := range objects {
		if n := o.GetNamespace(); n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// Inventory implements vim.VIM. The workload of a VDU is a group. Each Pod is a part of the group with one server. The
// server's id is the Pod's name, as in Tacker. The part's id is the Pod's UID, because a later Pod may have the same
// name.
func (c *Connection) Inventory(ctx context.Context, name string) (*vim.Inventory, error) {
	r, err := c.recordOf(ctx, name)
	if err != nil {
		return nil, err
	}
	inv := &vim.Inventory{
		ID: r.id, Level: vim.Running, Status: "Complete", Servers: map[string]vim.Server{}, Ports: map[string]vim.Port{},
		PublicAddrs: map[string]vim.PublicAddress{},
	}
	if !r.Complete {
		inv.Level, inv.Status = vim.Changing, "Incomplete"
	}
	if inv.Resources, err = c.groups(ctx, r); err != nil {
		return nil, err
	}
	networks, err := c.networks(ctx, r)
	if err != nil {
		return nil, err
	}
	inv.Resources = append(inv.Resources, networks...)
	if r.Halted {
		inv.Level, inv.Status = vim.Stopped, "Halted"
		for _, p := range r.Stopped {
			r.add(inv, p.asItWas())
		}
		return inv, nil
	}
	pods, err := c.podsOf(ctx, r)
	for _, p := range pods {
		r.add(inv, p)
	}
	return inv, err
}

func (r *record) add(inv *vim.Inventory, p workloadPod) {
	if p.vdu == "" {
		return
	}
	uid, level, status, reason := string(p.pod.UID), podLevel(&p.pod), string(p.pod.Status.Phase), p.pod.Status.Message
	if p.halted {
		level, status = vim.Stopped, "Halted"
	}
	created := p.pod.CreationTimestamp.Time
	group := p.workload.Kind + "/" + p.workload.Name
	inv.Resources = append(inv.Resources,
		vim.Resource{
			Name: p.pod.Name, ID: uid, VimType: "Pod", Part: group, PartName: p.workload.Name, Level: level, Status: status,
			Reason: reason, Created: created,
		},
		vim.Resource{
			Kind: vim.Compute, Name: p.vdu, ID: p.pod.Name, VimType: p.workload.Kind, Part: uid, PartName: p.pod.Name,
			Member: p.pod.Name, Level: level, Status: status, Reason: reason, Created: created,
		})
	server := vim.Server{
		ID: p.pod.Name, Name: p.pod.Name, Level: level, Status: status, Host: p.pod.Spec.NodeName,
		HostID: p.pod.Spec.NodeName, VolumeType: "PersistentVolumeClaim",
	}
	for _, ip := range p.pod.Status.PodIPs {
		if _, err := netip.ParseAddr(ip.IP); err == nil { // others are no addresses for anybody
			server.Addresses = append(server.Addresses, ip.IP)
		}
	}
	for _, v := range p.pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			server.VolumeIDs = append(server.VolumeIDs, v.PersistentVolumeClaim.ClaimName)
		}
	}
	inv.Servers[p.pod.Name] = server
	r.addPorts(inv, p, level)
}

// podLevel is the level of life of a Pod.
func podLevel(p *corev1.Pod) vim.Level {
	switch {
	case p.DeletionTimestamp != nil:
		return vim.Removed
	case p.Status.Phase == corev1.PodFailed:
		return vim.Failed
	case p.Status.Phase == corev1.PodSucceeded:
		return vim.Stopped
	}
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if s.State.Waiting != nil && waitingReasons[s.State.Waiting.Reason] != "" {
			return vim.Failed
		}
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return vim.Running
		}
	}
	return vim.Changing
}
