package vnfpkg

import (
	"slices"
	"strings"
)

// flavourReader turns one definition file into a Flavour.
type flavourReader struct {
	*loader
	topology *value
	nodes    *value
	flavour  Flavour
	// ofContainers are the VDUs whose types make them containers.
	ofContainers map[string]bool
	// containers counts the containers of all VDUs; containerTexts counts the bytes of their texts.
	containers, containerTexts int
	// decided are the policies that have decided something, by what they decided.
	decided map[string]string
	// named are constraints of container VDUs that need a policy or a node label beside them.
	named []constraint
}

func (l *loader) flavour(doc *value) Flavour {
	topology := doc.at("topology_template")
	r := &flavourReader{
		loader: l, topology: topology, nodes: topology.at("node_templates"), ofContainers: map[string]bool{},
		decided: map[string]string{},
	}
	r.flavour.ID, r.flavour.Definition = r.flavourID(doc), doc.file
	for name, node := range r.nodes.members() {
		r.node(name, node)
	}
	r.mappedRequirements()
	r.pods()
	r.flavour.LcmOperations = r.lcmOperations()
	r.policies()
	r.checkAutoscaling()
	r.checkPlacement()
	r.checkConstraints()
	r.checkLevels()
	r.checkBitrates()
	r.baseHOT()
	return r.flavour
}

func (r *flavourReader) flavourID(doc *value) string {
	candidates := []*value{r.topology.at("substitution_mappings", "properties", "flavour_id")}
	for _, node := range r.nodes.members() {
		if r.builtinType(node.at("type").str()) == typeVNF {
			candidates = append(candidates, node.at("properties", "flavour_id"),
				r.typeDefault(node.at("type").str(), "flavour_id"))
		}
	}
	for _, c := range candidates {
		if id := resolveInput(r.topology, c).str(); id != "" {
			return id
		}
	}
	r.rep.problem(doc.file, "the definition has VDUs or substitution_mappings but no flavour_id")
	return ""
}

func (r *flavourReader) node(name string, node *value) {
	typeName := node.at("type").str()
	standard := r.builtinType(typeName)
	switch {
	case typeName == "":
		r.rep.problem(node.place(), "the node %s has no type", quoteName(name))
	case standard == "" && r.incomplete: // its type was perhaps in a definition that could not be read
	case standard == "":
		r.rep.problem(node.place(), "the node %s is of type %s, which no imported definition defines", quoteName(name),
			quoteName(typeName))
	case standard == typeVNF:
		r.flavour.Description = node.at("properties", "flavour_description").str()
		for _, def := range slices.Backward(derivation(r.nodeTypes, typeName)) {
			r.hooks(def)
		}
		r.hooks(node)
	case standard == typeCompute && r.room("VDUs", len(r.flavour.Vdus), node):
		r.flavour.Vdus = append(r.flavour.Vdus, r.vdu(name, node))
	case (standard == typeDeployable || standard == typeTackerVdu) && r.room("VDUs", len(r.flavour.Vdus), node):
		r.flavour.Vdus = append(r.flavour.Vdus, r.containerVdu(standard, name, node))
	case cpTypes[standard] && r.room("connection points", len(r.flavour.Cps), node):
		r.flavour.Cps = append(r.flavour.Cps, r.cp(name, node))
	case storageKinds[standard] != "" && r.room("virtual storages", len(r.flavour.Storages), node):
		r.flavour.Storages = append(r.flavour.Storages, r.storage(name, storageKinds[standard], node))
	case standard == typeLink && r.room("virtual links", len(r.flavour.VirtualLinks), node):
		r.flavour.VirtualLinks = append(r.flavour.VirtualLinks, r.link(name, node))
	}
}

// anyVdu reads the parts that VDUs of VMs and of containers share.
func (r *flavourReader) anyVdu(name string, node *value) Vdu {
	profile := r.property(node, "vdu_profile")
	vdu := Vdu{
		ID:           name,
		Name:         r.property(node, "name").str(),
		Description:  r.property(node, "description").str(),
		MinInstances: r.count(profile.at("min_number_of_instances")),
		MaxInstances: r.count(profile.at("max_number_of_instances")),

		ConfigurableProperties: r.vnfcProperties(node.at("type").str()),
	}
	if vdu.MaxInstances > 0 && vdu.MaxInstances < vdu.MinInstances {
		r.rep.problem(profile.place(), "max_number_of_instances is smaller than min_number_of_instances")
	}
	return vdu
}

func (r *flavourReader) vdu(name string, node *value) Vdu {
	compute := func(property string) *value { return r.capability(node, property) }
	vdu := r.anyVdu(name, node)
	vdu.Image = r.image(node)
	vdu.ComputeFlavour = computeFlavour(compute("requested_additional_capabilities"))
	vdu.VirtualCpus = r.count(compute("virtual_cpu").at("num_virtual_cpu"))
	vdu.VirtualMemory = compute("virtual_memory").at("virtual_mem_size").str()
	for _, req := range r.requirements(node) {
		if req.name == "virtual_storage" && !slices.Contains(vdu.Storages, req.target) {
			vdu.Storages = append(vdu.Storages, req.target)
		}
	}
	return vdu
}

// room reports whether one more item may follow n others.
func (l *loader) room(what string, n int, at *value) bool {
	if n >= maxItems {
		l.rep.problem(at.file, "has more than the %d %s allowed", maxItems, what)
	}
	return n < maxItems
}

// computeFlavour finds the name of the Nova flavour. SOL001 has a map of capabilities; Tacker's packages have the
// properties of a single capability instead.
func computeFlavour(capabilities *value) string {
	const name = "requested_additional_capability_name"
	if s := capabilities.at("properties", name).str(); s != "" {
		return s
	}
	for _, c := range capabilities.members() {
		if s := c.at(name).str(); s != "" {
			return s
		}
	}
	return ""
}

// image reads sw_image_data and the artifact with the image's file. The file may be absent, because images are often in
// the VIM already. Windlass uploads an image from the package if the VIM has none of that name.
func (r *flavourReader) image(node *value) *SwImage {
	data := r.property(node, "sw_image_data")
	artifact := r.imageArtifact(node)
	if !data.isMap() { // since SOL001 v2.7.1 the artifact has these properties
		data = artifact.at("properties")
	}
	if !data.isMap() && artifact == nil {
		return nil
	}
	image := swImage(data)
	file := artifact.at("file").str()
	if file == "" {
		return image
	}
	if target, ok := r.locate(artifact.file, file); ok {
		image.File = target
		if image.Name == "" {
			r.rep.warn(artifact.place(), "the image %s has no name, and is not uploaded to the VIM: %s", quoteName(file),
				image.inGlance())
		}
	} else {
		r.rep.warn(artifact.place(), "names the image %s, which the archive lacks: %s", quoteName(file), image.inGlance())
	}
	return image
}

// swImage reads the properties of an image.
func swImage(data *value) *SwImage {
	return &SwImage{
		Name:              data.at("name").str(),
		Version:           data.at("version").str(),
		ChecksumAlgorithm: data.at("checksum", "algorithm").str(),
		ChecksumHash:      data.at("checksum", "hash").str(),
		ContainerFormat:   data.at("container_format").str(),
		DiskFormat:        data.at("disk_format").str(),
		MinDisk:           data.at("min_disk").str(),
		MinRAM:            data.at("min_ram").str(),
		Size:              data.at("size").str(),
	}
}

// inGlance names the image that the VIM must have.
func (i *SwImage) inGlance() string {
	if i.Name == "" {
		return "Glance must have it by the name that the templates use"
	}
	needs := "Glance must have an image named " + quoteName(i.Name)
	if i.ChecksumHash != "" {
		needs += " with the " + first(i.ChecksumAlgorithm, "checksum") + " " + quoteName(i.ChecksumHash)
	}
	return needs
}

func (r *flavourReader) imageArtifact(node *value) *value {
	for name, artifact := range node.at("artifacts").named() {
		if name == "sw_image" || strings.HasSuffix(artifact.at("type").str(), ".SwImage") {
			return artifact
		}
	}
	return nil
}

func (r *flavourReader) cp(name string, node *value) VduCp {
	cp := VduCp{
		ID:             name,
		Order:          r.count(r.property(node, "order")),
		LayerProtocols: r.property(node, "layer_protocols").words(),
	}
	for _, req := range r.requirements(node) {
		switch req.name {
		case "virtual_binding":
			cp.VduID = req.target
		case "virtual_link", "internal_virtual_link":
			cp.VirtualLink = req.target
		}
	}
	cp.External = cp.VirtualLink == ""
	return cp
}

func (r *flavourReader) storage(name, kind string, node *value) VirtualStorage {
	s := VirtualStorage{ID: name, Kind: kind, Image: r.image(node)}
	for _, size := range []*value{
		r.property(node, "virtual_"+kind+"_storage_data").at("size_of_storage"), r.property(node, "size_of_storage"),
		r.property(node, "virtual_object_storage_data").at("max_size_of_storage"),
	} {
		if s.Size == "" {
			s.Size = resolveInput(r.topology, size).str()
		}
	}
	return s
}

// property is a property of the node, else the default of its type or of a type that it derives from.
func (r *flavourReader) property(node *value, name string) *value {
	if v := resolveInput(r.topology, node.at("properties", name)); !v.isNull() {
		return v
	}
	return resolveInput(r.topology, r.typeDefault(node.at("type").str(), name))
}

// requirement is a requirement of a node. Several may have the same name, e.g. those for storages.
type requirement struct{ name, target string }

// requirements reads a node's requirements, in their order, and refuses targets that do not exist.
func (r *flavourReader) requirements(node *value) (out []requirement) {
	for key, item := range node.at("requirements").named() {
		target := item.str()
		if item.isMap() {
			target = item.at("node").str()
		}
		if target == "" {
			continue
		}
		if !r.nodes.has(target) && !strings.HasPrefix(target, "tosca.") {
			r.rep.problem(item.place(), "the requirement %s names the node %s, which does not exist", key, quoteName(target))
			continue
		}
		out = append(out, requirement{key, target})
	}
	return out
}

// mappedRequirements marks the connection points that substitution_mappings shows to the outside.
func (r *flavourReader) mappedRequirements() {
	for key, item := range r.topology.at("substitution_mappings", "requirements").named() {
		target := item.words()
		if len(target) == 0 {
			continue
		}
		if !r.nodes.has(target[0]) {
			// Windlass only warns: nothing depends on the exposed connection point, and other VNFMs accept packages with such
			// mappings.
			r.rep.warn(item.place(), "the requirement %s is mapped to the node %s, which does not exist", key,
				quoteName(target[0]))
			continue
		}
		if cp, ok := r.flavour.Cp(target[0]); ok {
			cp.External = true
		}
	}
}

// count reads a number of instances, levels or the like; 0 when nothing is written.
func (r *flavourReader) count(v *value) int {
	v = resolveInput(r.topology, v)
	if v.isNull() {
		return 0
	}
	n, ok := v.number()
	if !ok || n < 0 || n > maxCount {
		r.rep.problem(v.place(), "%s is not a whole number between 0 and %d", quoteName(v.str()), maxCount)
		return 0
	}
	return n
}
