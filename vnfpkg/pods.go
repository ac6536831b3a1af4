package vnfpkg

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// containerReader reads the VDUs of a flavour that are containers, and their Services and charts.
type containerReader struct {
	textReader
	flavour *Flavour
	// ofContainers are the VDUs whose types make them containers.
	ofContainers map[string]bool
	// containers counts the containers of all VDUs; containerTexts counts the bytes of their texts.
	containers, containerTexts int
	// named are constraints of container VDUs that need a policy or a node label beside them.
	named []constraint
}

func newContainerReader(t *topology, f *Flavour) *containerReader {
	return &containerReader{textReader: textReader{t}, flavour: f, ofContainers: map[string]bool{}}
}

// vdu reads a VDU of a container type. It gets what all VDUs have.
func (r *containerReader) vdu(standard string, node *value, vdu Vdu) Vdu {
	r.ofContainers[vdu.ID] = true
	if standard == typeTackerVdu {
		return r.tackerVdu(node, vdu)
	}
	return r.deployable(node, vdu)
}

// pods reads the Services and charts of container VDUs, and checks the VDUs as a whole.
func (r *containerReader) pods() {
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
func (r *containerReader) charts() {
	for name, node := range r.nodes.members() {
		if r.builtinType(node.at("type").str()) != typeMciop {
			continue
		}
		c := Chart{ID: name}
		for _, artifact := range node.at("artifacts").named() {
			file := cmp.Or(artifact.at("file").str(), artifact.str())
			target, ok := r.locateChart(artifact, file)
			switch {
			case !ok:
				r.problem(artifact.place(), "names the chart %s, which the archive lacks: Windlass takes charts "+
					"from the VNF package only", quoteName(file))
			case isYAML(target) || c.File != "":
				r.warn(artifact.place(), "Windlass ignores %s: an Mciop has one Helm chart, and requests name "+
					"manifests", quoteName(file))
			default:
				c.File = target
			}
		}
		for _, req := range r.requirements(node) {
			if req.name != "associatedVdu" {
				continue
			}
			if !r.ofContainers[req.target] {
				r.problem(node.place(), "the Mciop %s makes %s, which is no VDU of containers", quoteName(name),
					quoteName(req.target))
				continue
			}
			if !slices.Contains(c.Vdus, req.target) {
				c.Vdus = append(c.Vdus, req.target)
			}
		}
		if c.File != "" && r.room("charts", len(r.flavour.Charts), node) {
			r.flavour.Charts = append(r.flavour.Charts, c)
		}
	}
}

// locateChart finds an archive or a folder.
func (r *containerReader) locateChart(artifact *value, file string) (string, bool) {
	if target, ok := r.locate(artifact.file, file); ok {
		return target, true
	}
	for _, base := range []string{artifact.file, ""} {
		if target, ok := resolvePath(base, file); ok && r.zip.has(target+"/Chart.yaml") {
			return target, true
		}
	}
	return "", false
}

// checkImages leaves a VDU to manifests and charts if none of its containers has an image.
func (r *containerReader) checkImages(v *Vdu) {
	var lacking []string
	for _, c := range v.Pod.Containers {
		if c.Image == (Word{}) {
			lacking = append(lacking, c.Name)
		}
	}
	node := r.nodes.at(v.ID)
	switch {
	case len(lacking) == 0:
	case len(lacking) < len(v.Pod.Containers):
		r.problem(node.place(), "the containers %v of the VDU %s have no image (artifact sw_image), but its other "+
			"containers have an image", lacking, v.ID)
	default:
		if !r.flavour.charted(v.ID) {
			r.warn(node.place(), "the containers of the VDU %s have no image (artifact sw_image): requests must name manifests "+
				"or charts with it", v.ID)
		}
		v.Pod = nil
	}
}

// checkPinned requires equal requests and limits for all containers of a Pod with a pinned container: kubelets pin CPUs
// only for Pods of the QoS class Guaranteed.
func (r *containerReader) checkPinned(v *Vdu) {
	if v.Pod == nil {
		return
	}
	var pinned []string
	for _, req := range r.requirements(r.nodes.at(v.ID)) {
		if req.name == "container" && r.property(r.nodes.at(req.target), "cpu_pinning_requirements").isMap() {
			pinned = append(pinned, ClusterName(req.target, mostLabel))
		}
	}
	for _, c := range v.Pod.Containers {
		if len(pinned) == 0 || slices.Contains(pinned, c.Name) { // sizesOf has checked the pinned containers
			continue
		}
		for _, resource := range []string{resourceCPU, resourceMemory} {
			limit, request := c.Limits[resource], c.Requests[resource]
			if limit == "" || request != "" && request != limit {
				r.problem(r.nodes.at(v.ID).place(), "the container %s of the VDU %s is pinned to CPUs, so the "+
					"container %s must request as much %s as its limit", pinned[0], v.ID, c.Name, resource)
			}
		}
	}
}

// checkNames reports two objects of a kind with the same name.
func (r *containerReader) checkNames() {
	type object struct{ kind, name string }
	const some = "00000000"
	whose := map[object]string{}
	take := func(of, kind, name string, at *value) {
		if other, taken := whose[object{kind, name}]; taken {
			r.problem(at.place(), "the %ss of %s and %s would have the same name on a cluster: rename one of them",
				kind, other, of)
		}
		whose[object{kind, name}] = of
	}
	for _, v := range r.flavour.Described() {
		at := r.nodes.at(v.ID)
		take(v.ID, v.Pod.Kind, v.WorkloadName(some), at)
		for _, c := range v.Pod.Containers {
			if len(c.Config) > 0 {
				take(fmt.Sprintf("%s (%s)", v.ID, c.Name), "ConfigMap", v.ConfigName(c, some), at)
			}
		}
	}
	for _, s := range r.flavour.Services {
		take(s.ID, "Service", r.flavour.ServiceName(s, some), r.nodes.at(s.ID))
	}
}

// takeApart separates the VDUs of a hybrid flavour into VMs and containers, by their types.
func (r *containerReader) takeApart(baseHOT string) {
	if len(r.ofContainers) == 0 || r.flavour.Containers {
		return
	}
	at := r.nodes.at(slices.Sorted(maps.Keys(r.ofContainers))[0])
	if drivers := r.flavour.Drivers(); slices.ContainsFunc(drivers, func(d string) bool { return d != DriverNodePort }) {
		r.problem(at.place(), "a VDU of containers runs on Kubernetes, but the driver %s works on servers: put "+
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
		r.problem(at.place(), "the flavour has the Heat template %s, but all of its VDUs are containers, which "+
			"run on Kubernetes: remove the template", baseHOT)
	case baseHOT == "" && !r.flavour.describesVMs():
		r.problem(at.place(), "VDUs of VMs beside VDUs of containers need a Base HOT, or the data to make a "+
			"template from: an image, and a size or a connection point")
	}
}

// checkPlacement refuses too many affinity rules, and warns of rules that no cluster can follow. A cluster is always in
// one NFVI-PoP.
func (r *containerReader) checkPlacement() {
	described := r.flavour.Described()
	if len(described) > 0 && len(r.flavour.AffinityRules) > maxItems {
		r.problem(r.root.file, "has more than the %d affinity rules allowed", maxItems)
		return
	}
	for _, rule := range r.flavour.AffinityRules {
		together := !rule.Anti && rule.Scope == "nfvi_pop"
		for _, v := range described {
			if rule.Topology() == "" && !together && slices.Contains(rule.Vdus, v.ID) {
				r.warn(r.root.at("policies").place(), "the rule %s has the scope %s, but no node label shows "+
					"this scope: Windlass ignores the rule", rule.ID, quoteName(rule.Scope))
			}
		}
	}
}
