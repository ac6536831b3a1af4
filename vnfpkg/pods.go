package vnfpkg

import (
	"fmt"
	"slices"
)

// containerVdu reads a VDU of a container type.
func (r *flavourReader) containerVdu(standard, name string, node *value) Vdu {
	r.ofContainers[name] = true
	if standard == typeTackerVdu {
		return r.tackerVdu(name, node)
	}
	return r.deployable(name, node)
}

// pods reads the Services and charts of container VDUs, and checks the VDUs as a whole.
func (r *flavourReader) pods() {
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
func (r *flavourReader) charts() {
	for name, node := range r.nodes.members() {
		if r.builtinType(node.at("type").str()) != typeMciop {
			continue
		}
		c := Chart{ID: name}
		for _, artifact := range node.at("artifacts").named() {
			file := first(artifact.at("file").str(), artifact.str())
			target, ok := r.locateChart(artifact, file)
			switch {
			case !ok:
				r.rep.problem(artifact.place(), "names the chart %s, which the archive lacks: Windlass takes charts "+
					"from the VNF package only", quoteName(file))
			case isYAML(target) || c.File != "":
				r.rep.warn(artifact.place(), "Windlass ignores %s: an Mciop has one Helm chart, and requests name "+
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
				r.rep.problem(node.place(), "the Mciop %s makes %s, which is no VDU of containers", quoteName(name),
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
func (r *flavourReader) locateChart(artifact *value, file string) (string, bool) {
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
func (r *flavourReader) checkImages(v *Vdu) {
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
		r.rep.problem(node.place(), "the containers %v of the VDU %s have no image (artifact sw_image), but its other "+
			"containers have an image", lacking, v.ID)
	default:
		if !r.flavour.charted(v.ID) {
			r.rep.warn(node.place(), "the containers of the VDU %s have no image (artifact sw_image): requests must name manifests "+
				"or charts with it", v.ID)
		}
		v.Pod = nil
	}
}

// checkPinned requires equal requests and limits for all containers of a Pod with a pinned container: kubelets pin CPUs
// only for Pods of the QoS class Guaranteed.
func (r *flavourReader) checkPinned(v *Vdu) {
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
				r.rep.problem(r.nodes.at(v.ID).place(), "the container %s of the VDU %s is pinned to CPUs, so the "+
					"container %s must request as much %s as its limit", pinned[0], v.ID, c.Name, resource)
			}
		}
	}
}

// nameSuffix ends the names of a VNF's objects, so that several VNFs of one package can share a namespace.
func nameSuffix(vnf string) string { return "-" + ClusterName(vnf[:min(len(vnf), 8)], 8) }

// WorkloadName is the name of a VDU's workload in a VNF.
func (v Vdu) WorkloadName(vnf string) string {
	if v.Pod != nil && v.Pod.Name != "" {
		return v.Pod.Name
	}
	suffix := nameSuffix(vnf)
	return ClusterName(v.ID, mostLabel-len(suffix)) + suffix
}

// ConfigName is the name of a container's ConfigMap in a VNF.
func (v Vdu) ConfigName(c Container, vnf string) string { return v.WorkloadName(vnf) + "-" + c.Name }

// ServiceName is the name of a Service in a VNF. A Service of a VDU's own ports has the name of the VDU's workload.
func (f *Flavour) ServiceName(s Service, vnf string) string {
	if s.Name != "" {
		return s.Name
	}
	if v, ok := f.Vdu(s.ID); ok {
		return v.WorkloadName(vnf)
	}
	suffix := nameSuffix(vnf)
	return ClusterName(s.ID, mostLabel-len(suffix)) + suffix
}

// checkNames reports two objects of a kind with the same name.
func (r *flavourReader) checkNames() {
	type object struct{ kind, name string }
	const some = "00000000"
	whose := map[object]string{}
	take := func(of, kind, name string, at *value) {
		if other, taken := whose[object{kind, name}]; taken {
			r.rep.problem(at.place(), "the %ss of %s and %s would have the same name on a cluster: rename one of them",
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
func (r *flavourReader) takeApart(baseHOT string) {
	if len(r.ofContainers) == 0 || r.flavour.Containers {
		return
	}
	at := r.nodes.at(sortedKeys(r.ofContainers)[0])
	if drivers := r.flavour.Drivers(); slices.ContainsFunc(drivers, func(d string) bool { return d != DriverNodePort }) {
		r.rep.problem(at.place(), "a VDU of containers runs on Kubernetes, but the driver %s works on servers: put "+
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
		r.rep.problem(at.place(), "the flavour has the Heat template %s, but all of its VDUs are containers, which "+
			"run on Kubernetes: remove the template", baseHOT)
	case baseHOT == "" && !r.describesVMs():
		r.rep.problem(at.place(), "VDUs of VMs beside VDUs of containers need a Base HOT, or the data to make a "+
			"template from: an image, and a size or a connection point")
	}
}

// topologies maps the scopes of affinity rules to node labels.
var topologies = map[string]string{
	"nfvi_node": "kubernetes.io/hostname", "cis_node": "kubernetes.io/hostname", "zone": "topology.kubernetes.io/zone",
	"zone_group": "topology.kubernetes.io/region",
}

// Topology is the node label for the scope of the rule, "" if there is no such label.
func (r AffinityRule) Topology() string { return topologies[r.Scope] }

// checkPlacement refuses too many affinity rules, and warns of rules that no cluster can follow. A cluster is always in
// one NFVI-PoP.
func (r *flavourReader) checkPlacement() {
	described := r.flavour.Described()
	if len(described) > 0 && len(r.flavour.AffinityRules) > maxItems {
		r.rep.problem(r.topology.file, "has more than the %d affinity rules allowed", maxItems)
		return
	}
	for _, rule := range r.flavour.AffinityRules {
		together := !rule.Anti && rule.Scope == "nfvi_pop"
		for _, v := range described {
			if rule.Topology() == "" && !together && slices.Contains(rule.Vdus, v.ID) {
				r.rep.warn(r.topology.at("policies").place(), "the rule %s has the scope %s, but no node label shows "+
					"this scope: Windlass ignores the rule", rule.ID, quoteName(rule.Scope))
			}
		}
	}
}
