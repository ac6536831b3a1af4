package kubernetes

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// portType is the word for an interface of a Pod on a network of Multus.
const portType = "PodInterface"

// podInterface is an interface of a Pod as Multus tells it.
type podInterface struct {
	Name      string   `json:"name"` // the network's namespace and name
	Interface string   `json:"interface"`
	IPs       []string `json:"ips"`
	MAC       string   `json:"mac"`
	Default   bool     `json:"default"`
}

// interfacesOf returns the interfaces of a Pod except that of the cluster's own network. It ignores an unreadable
// annotation, as Windlass does not write it.
func interfacesOf(pod *corev1.Pod) []podInterface {
	text := pod.Annotations[statusKey]
	if text == "" {
		text = pod.Annotations[formerStatusKey]
	}
	var out []podInterface
	if json.Unmarshal([]byte(text), &out) != nil {
		return nil
	}
	return slices.DeleteFunc(out, func(i podInterface) bool { return i.Default || i.Interface == "" })
}

// addPorts puts the interfaces of a Pod into the inventory. They are called as their connection points are, those that
// only manifests tell of as their interfaces.
func (r *record) addPorts(inv *vim.Inventory, p workloadPod, level vim.Level) {
	for _, i := range interfacesOf(&p.pod) {
		uid := string(p.pod.UID)
		id, name, network := uid+"/"+i.Interface, i.Interface, i.Name
		if own, ok := strings.CutPrefix(network, p.pod.Namespace+"/"); ok {
			network = own
		}
		if a, ok := r.attachmentOf(p.vdu, i.Interface); ok {
			name = a.Cpd
			if in, short := a.reference(p.pod.Namespace); i.Name == in+"/"+short || i.Name == short {
				network = a.Network // as the request has it
			}
		}
		port := vim.Port{
			ID: id, Name: i.Interface, NetworkID: network, ServerID: p.pod.Name, MAC: i.MAC, VimType: portType,
		}
		for _, address := range i.IPs {
			address, _, _ = strings.Cut(address, "/")
			port.FixedIPs = append(port.FixedIPs, lcm.FixedIP{Address: address})
			if port.Address == "" || strings.Contains(port.Address, ":") && !strings.Contains(address, ":") {
				port.Address = address
			}
		}
		inv.Ports[id] = port
		inv.Resources = append(inv.Resources, vim.Resource{
			Kind: vim.LinkPort, Name: name, ID: id, VimType: portType, Part: uid, PartName: p.pod.Name, Member: p.pod.Name,
			Level: level, Status: string(p.pod.Status.Phase), Created: p.pod.CreationTimestamp.Time,
		})
	}
}

func (r *record) attachmentOf(vdu, name string) (Attachment, bool) {
	at := slices.IndexFunc(r.Attachments, func(a Attachment) bool { return a.Vdu == vdu && a.Interface() == name })
	if at < 0 {
		return Attachment{}, false
	}
	return r.Attachments[at], true
}

// networks returns the networks that the deployment itself made.
func (c *Connection) networks(ctx context.Context, r *record) (out []vim.Resource, err error) {
	for _, o := range r.Objects {
		if o.GroupVersionKind().GroupKind() != networkKind.GroupKind() {
			continue
		}
		n := vim.Resource{
			Kind: vim.Network, Name: o.GetName(), ID: o.GetNamespace() + "/" + o.GetName(), VimType: networkKind.Kind, Part: r.id,
			Level: vim.Running,
		}
		var why string
		var there *unstructured.Unstructured
		if there, why, err = c.networkAt(ctx, o.GetNamespace(), o.GetName()); err != nil {
			return nil, err
		}
		switch {
		case why != "":
			n.ID, n.Level, n.Status, n.Reason = "", vim.Removed, "Missing", why
		case there != nil:
			n.ID, n.Created = string(there.GetUID()), there.GetCreationTimestamp().Time
		}
		out = append(out, n)
	}
	return out, nil
}

// connected requires every running Pod to have its wanted interfaces. Multus makes interfaces before containers start,
// so a missing interface will not come later.
func (c *Connection) connected(ctx context.Context, r *record) error {
	if len(r.Attachments) == 0 {
		return nil
	}
	all, err := c.podsOf(ctx, r)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.pod.DeletionTimestamp != nil || podLevel(&p.pod) != vim.Running {
			continue
		}
		made := interfacesOf(&p.pod)
		for _, a := range ofVdu(r.Attachments, p.vdu) {
			if !slices.ContainsFunc(made, func(i podInterface) bool { return i.Interface == a.Interface() }) {
				return lcm.Errorf(lcm.KindBroken, "The Pod %s/%s runs without its interface %s on the network %s for "+
					"the connection point %s: the Pod's annotation %s does not have it. Check whether Multus works on "+
					"the node %s.", p.pod.Namespace, p.pod.Name, a.Interface(), a.Network, a.Cpd, statusKey,
					p.pod.Spec.NodeName)
			}
		}
	}
	return nil
}
