// Package containers reads the VDUs of a VNFD that are containers: their Pods, Services and charts. It also reads
// manifests of persistent volumes.
package containers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// Reader reads the VDUs of a flavour that are containers, and their Services and charts.
type Reader struct {
	textReader
	flavour *descriptor.Flavour
	// ofContainers are the VDUs whose types make them containers.
	ofContainers map[string]bool
	// containers counts the containers of all VDUs; containerTexts counts the bytes of their texts.
	containers, containerTexts int
	// named are constraints of container VDUs that need a policy or a node label beside them.
	named []constraint
}

// NewReader makes a reader for the containers of a flavour.
func NewReader(t *tosca.Topology, f *descriptor.Flavour) *Reader {
	return &Reader{textReader: textReader{t}, flavour: f, ofContainers: map[string]bool{}}
}

// Vdu reads a VDU of a container type. It gets what all VDUs have.
func (r *Reader) Vdu(standard string, node *document.Value, vdu descriptor.Vdu) descriptor.Vdu {
	r.ofContainers[vdu.ID] = true
	if standard == tosca.TypeTackerVdu {
		return r.tackerVdu(node, vdu)
	}
	return r.deployable(node, vdu)
}

// Pods reads the Services and charts of container VDUs, and checks the VDUs as a whole.
func (r *Reader) Pods() {
	if len(r.ofContainers) == 0 {
		return
	}
	r.charts()
	for i := range r.flavour.Vdus {
		if v := &r.flavour.Vdus[i]; v.Pod != nil {
			r.checkImages(v)
			r.checkPinned(v)
		}
	}
	r.services()
	r.checkNames()
}

// charts reads the Mciops with a chart in the package. A request names the chart of any other Mciop.
func (r *Reader) charts() {
	for name, node := range r.Nodes.Members() {
		if r.BuiltinType(node.At("type").Str()) != tosca.TypeMciop {
			continue
		}
		c := descriptor.Chart{ID: name}
		for _, artifact := range node.At("artifacts").Named() {
			file := cmp.Or(artifact.At("file").Str(), artifact.Str())
			target, ok := r.locateChart(artifact, file)
			switch {
			case !ok:
				r.Problem(artifact.Place(), "names the chart %s, which the archive lacks: Windlass takes charts "+
					"from the VNF package only", document.Quote(file))
			case document.IsYAML(target) || c.File != "":
				r.Warn(artifact.Place(), "Windlass ignores %s: an Mciop has one Helm chart, and requests name "+
					"manifests", document.Quote(file))
			default:
				c.File = target
			}
		}
		for _, req := range r.Requirements(node) {
			if req.Name != "associatedVdu" {
				continue
			}
			if !r.ofContainers[req.Target] {
				r.Problem(node.Place(), "the Mciop %s makes %s, which is no VDU of containers", document.Quote(name),
					document.Quote(req.Target))
				continue
			}
			if !slices.Contains(c.Vdus, req.Target) {
				c.Vdus = append(c.Vdus, req.Target)
			}
		}
		if c.File != "" && r.Room("charts", len(r.flavour.Charts), node) {
			r.flavour.Charts = append(r.flavour.Charts, c)
		}
	}
}

// locateChart finds an archive or a folder.
func (r *Reader) locateChart(artifact *document.Value, file string) (string, bool) {
	if target, ok := r.Locate(artifact.File, file); ok {
		return target, true
	}
	for _, base := range []string{artifact.File, ""} {
		if target, ok := document.ResolvePath(base, file); ok && r.Zip.Has(target+"/Chart.yaml") {
			return target, true
		}
	}
	return "", false
}

// checkImages leaves a VDU to manifests and charts if none of its containers has an image.
func (r *Reader) checkImages(v *descriptor.Vdu) {
	var lacking []string
	for _, c := range v.Pod.Containers {
		if c.Image == (descriptor.Word{}) {
			lacking = append(lacking, c.Name)
		}
	}
	node := r.Nodes.At(v.ID)
	switch {
	case len(lacking) == 0:
	case len(lacking) < len(v.Pod.Containers):
		r.Problem(node.Place(), "the containers %v of the VDU %s have no image (artifact sw_image), but its other "+
			"containers have an image", lacking, v.ID)
	default:
		if !r.flavour.Charted(v.ID) {
			r.Warn(node.Place(), "the containers of the VDU %s have no image (artifact sw_image): requests must name manifests "+
				"or charts with it", v.ID)
		}
		v.Pod = nil
	}
}

// checkPinned requires equal requests and limits for all containers of a Pod with a pinned container: kubelets pin CPUs
// only for Pods of the QoS class Guaranteed.
func (r *Reader) checkPinned(v *descriptor.Vdu) {
	if v.Pod == nil {
		return
	}
	var pinned []string
	for _, req := range r.Requirements(r.Nodes.At(v.ID)) {
		if req.Name == "container" && r.Property(r.Nodes.At(req.Target), "cpu_pinning_requirements").IsMap() {
			pinned = append(pinned, descriptor.ClusterName(req.Target, descriptor.MaxLabel))
		}
	}
	for _, c := range v.Pod.Containers {
		if len(pinned) == 0 || slices.Contains(pinned, c.Name) { // sizesOf has checked the pinned containers
			continue
		}
		for _, resource := range []string{descriptor.ResourceCPU, descriptor.ResourceMemory} {
			limit, request := c.Limits[resource], c.Requests[resource]
			if limit == "" || request != "" && request != limit {
				r.Problem(r.Nodes.At(v.ID).Place(), "the container %s of the VDU %s is pinned to CPUs, so the "+
					"container %s must request as much %s as its limit", pinned[0], v.ID, c.Name, resource)
			}
		}
	}
}

// checkNames reports two objects of a kind with the same name.
func (r *Reader) checkNames() {
	type object struct{ kind, name string }
	const some = "00000000"
	whose := map[object]string{}
	take := func(of, kind, name string, at *document.Value) {
		if other, taken := whose[object{kind, name}]; taken {
			r.Problem(at.Place(), "the %ss of %s and %s would have the same name on a cluster: rename one of them",
				kind, other, of)
		}
		whose[object{kind, name}] = of
	}
	for _, v := range r.flavour.Described() {
		at := r.Nodes.At(v.ID)
		take(v.ID, v.Pod.Kind, v.WorkloadName(some), at)
		for _, c := range v.Pod.Containers {
			if len(c.Config) > 0 {
				take(fmt.Sprintf("%s (%s)", v.ID, c.Name), "ConfigMap", v.ConfigName(c, some), at)
			}
		}
	}
	for _, s := range r.flavour.Services {
		take(s.ID, "Service", r.flavour.ServiceName(s, some), r.Nodes.At(s.ID))
	}
}

// TakeApart separates the VDUs of a hybrid flavour into VMs and containers, by their types.
func (r *Reader) TakeApart(baseHOT string) {
	if len(r.ofContainers) == 0 || r.flavour.Containers {
		return
	}
	at := r.Nodes.At(slices.Sorted(maps.Keys(r.ofContainers))[0])
	if drivers := r.flavour.Drivers(); slices.ContainsFunc(drivers, descriptor.WorksOnServers) {
		r.Problem(at.Place(), "a VDU of containers runs on Kubernetes, but the driver %s works on servers: put "+
			"the containers into a separate VNF", drivers[0])
		return
	}
	r.flavour.Hybrid = true
	servers := 0
	for i := range r.flavour.Vdus {
		v := &r.flavour.Vdus[i]
		if v.Containers = r.ofContainers[v.ID]; !v.Containers {
			servers++
		}
	}
	switch {
	case servers == 0:
		r.Problem(at.Place(), "the flavour has the Heat template %s, but all of its VDUs are containers, which "+
			"run on Kubernetes: remove the template", baseHOT)
	case baseHOT == "" && !r.flavour.DescribesVMs():
		r.Problem(at.Place(), "VDUs of VMs beside VDUs of containers need a Base HOT, or the data to make a "+
			"template from: an image, and a size or a connection point")
	}
}

// CheckPlacement refuses too many affinity rules, and warns of rules that no cluster can follow. A cluster is always in
// one NFVI-PoP.
func (r *Reader) CheckPlacement() {
	described := r.flavour.Described()
	if len(described) > 0 && len(r.flavour.AffinityRules) > tosca.MaxItems {
		r.Problem(r.Root.File, "has more than the %d affinity rules allowed", tosca.MaxItems)
		return
	}
	for _, rule := range r.flavour.AffinityRules {
		together := !rule.Anti && rule.Scope == "nfvi_pop"
		for _, v := range described {
			if rule.Topology() == "" && !together && slices.Contains(rule.Vdus, v.ID) {
				r.Warn(r.Root.At("policies").Place(), "the rule %s has the scope %s, but no node label shows "+
					"this scope: Windlass ignores the rule", rule.ID, document.Quote(rule.Scope))
			}
		}
	}
}
