package cnf

import (
	"fmt"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Attachment connects the Pods of a VDU to a network besides the cluster's own.
type Attachment struct {
	Vdu, Cpd string
	// Path is the JSON path in the request.
	Path string
	// Network is a NetworkAttachmentDefinition: "media", or "networks/media" in a namespace other than the Pods'.
	Network string
	// Addresses and MAC are fixed addresses.
	Addresses []string
	MAC       string
}

// networkName matches a resourceId of an external link that a cluster can use.
var networkName = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/)?[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)

// Attachments are the networks for the connection points that are bound to VDUs, from the external links of a request.
// Other connection points have no counterpart on a cluster: Windlass only records them. Without capacity, VDUs have the
// numbers of Pods from their manifests.
//
// The problems are requests that no cluster can fulfil.
func (v *VNF) Attachments(
	f *descriptor.Flavour, links []lcm.ExtVirtualLink, capacity map[string]int,
) (out []Attachment, problems []lcm.Problem) {
	a := attaching{vnf: v, capacity: capacity}
	for i, link := range links {
		for k, cp := range link.ExtCps {
			known, ok := f.Cp(cp.CpdID)
			if !ok || !known.External || known.VduID == "" {
				continue
			}
			a.take(*known, link, cp, fmt.Sprintf("$.extVirtualLinks[%d]", i), k)
		}
	}
	return a.out, a.problems
}

type attaching struct {
	vnf      *VNF
	capacity map[string]int
	out      []Attachment
	problems []lcm.Problem
}

func (a *attaching) tell(path, format string, args ...any) {
	a.problems = append(a.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (a *attaching) take(cpd descriptor.VduCp, link lcm.ExtVirtualLink, cp lcm.ExtCp, path string, k int) {
	at := fmt.Sprintf("%s.extCps[%d]", path, k)
	if _, ok := a.vnf.Workloads[cpd.VduID]; !ok {
		a.tell(at+".cpdId", "the connection point %s is bound to the VDU %s, which has no workload among the manifests and "+
			"charts", cpd.ID, cpd.VduID)
		return
	}
	if !networkName.MatchString(link.ResourceID) {
		a.tell(path+".resourceId", "must name a NetworkAttachmentDefinition of the cluster, as media or networks/media, not %q",
			link.ResourceID)
		return
	}
	if len(cp.GivenPorts()) > 0 {
		a.tell(at+".cpConfig", "a Pod gets its interface from the network %s: it cannot use an existing port "+
			"(linkPortId)", link.ResourceID)
	}
	out := Attachment{Vdu: cpd.VduID, Cpd: cpd.ID, Path: path + ".resourceId", Network: link.ResourceID, MAC: cp.MAC}
	for _, ip := range cp.FixedIPs {
		switch {
		case ip.Address != "":
			out.Addresses = append(out.Addresses, ip.Address)
		case ip.SubnetID != "":
			a.tell(at+".cpConfig", "the network %s chooses addresses itself and has no subnets: leave out subnetId",
				link.ResourceID)
		}
	}
	if len(out.Addresses) > 0 || out.MAC != "" {
		if why := a.several(cpd.VduID); why != "" {
			a.tell(at+".cpConfig", "the connection point %s has a fixed address, and %s: all these Pods would have it",
				cpd.ID, why)
		}
	}
	a.out = append(a.out, out)
}

// several is a clause which says that a VDU has, or may have, more than one Pod; "" if it has only one.
func (a *attaching) several(vdu string) string {
	w := a.vnf.Workloads[vdu]
	switch {
	case w.Kind == "DaemonSet":
		return fmt.Sprintf("the VDU %s is the %s, which has a Pod on each node", vdu, w)
	case slices.ContainsFunc(a.vnf.Objects, func(o unstructured.Unstructured) bool { return scales(o, w) }):
		return fmt.Sprintf("the VDU %s is the %s, for which an autoscaler makes more Pods", vdu, w)
	}
	count, said := a.capacity[vdu]
	if o := find(a.vnf.Objects, w); !said && o != nil {
		count = 1
		if n, is, _ := unstructured.NestedInt64(o.Object, "spec", "replicas"); is {
			count = int(n)
		}
	}
	if count > 1 && w.Scalable() {
		return fmt.Sprintf("the VDU %s has %d Pods", vdu, count)
	}
	return ""
}

// scales tells whether an object is an autoscaler of a workload.
func scales(o unstructured.Unstructured, w Workload) bool {
	kind, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "kind")
	name, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "name")
	return o.GetKind() == "HorizontalPodAutoscaler" && kind == w.Kind && name == w.Name
}
