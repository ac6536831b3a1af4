package vnfpkg

import (
	"cmp"
	"path"
	"slices"
)

// flavourReader turns one definition file into a Flavour. Each of its parts reads one subject.
type flavourReader struct {
	*topology
	flavour    *Flavour
	hooks      hookReader
	containers *containerReader
	policies   policyReader
	templates  templateReader
	generate   Generator
}

func (v *vnfdReader) flavour(doc *value) Flavour {
	t, f := v.topology(doc), &Flavour{}
	r := &flavourReader{
		topology: t, flavour: f, hooks: hookReader{t, f}, containers: newContainerReader(t, f),
		policies: newPolicyReader(t, f), templates: templateReader{t, f}, generate: v.generate,
	}
	return r.read(doc)
}

func (r *flavourReader) read(doc *value) Flavour {
	r.flavour.ID, r.flavour.Definition = r.flavourID(doc), doc.file
	for name, node := range r.nodes.members() {
		r.node(name, node)
	}
	r.mappedRequirements()
	r.containers.pods()
	r.flavour.LcmOperations = r.lcmOperations()
	r.policies.read()
	r.policies.checkAutoscaling()
	r.containers.checkPlacement()
	r.containers.checkConstraints()
	r.policies.checkLevels()
	r.policies.checkBitrates()
	r.baseHOT()
	return *r.flavour
}

func (r *flavourReader) flavourID(doc *value) string {
	candidates := []*value{r.root.at("substitution_mappings", "properties", "flavour_id")}
	for _, node := range r.nodes.members() {
		if r.builtinType(node.at("type").str()) == typeVNF {
			candidates = append(candidates, node.at("properties", "flavour_id"),
				r.typeDefault(node.at("type").str(), "flavour_id"))
		}
	}
	for _, c := range candidates {
		if id := resolveInput(r.root, c).str(); id != "" {
			return id
		}
	}
	r.problem(doc.file, "the definition has VDUs or substitution_mappings but no flavour_id")
	return ""
}

func (r *flavourReader) node(name string, node *value) {
	typeName := node.at("type").str()
	standard := r.builtinType(typeName)
	switch {
	case typeName == "":
		r.problem(node.place(), "the node %s has no type", quoteName(name))
	case standard == "" && r.incomplete: // its type was perhaps in a definition that could not be read
	case standard == "":
		r.problem(node.place(), "the node %s is of type %s, which no imported definition defines", quoteName(name),
			quoteName(typeName))
	case standard == typeVNF:
		r.flavour.Description = node.at("properties", "flavour_description").str()
		for _, def := range slices.Backward(derivation(r.nodeTypes, typeName)) {
			r.hooks.read(def)
		}
		r.hooks.read(node)
	case standard == typeCompute && r.room("VDUs", len(r.flavour.Vdus), node):
		r.flavour.Vdus = append(r.flavour.Vdus, r.vdu(name, node))
	case (standard == typeDeployable || standard == typeTackerVdu) && r.room("VDUs", len(r.flavour.Vdus), node):
		r.flavour.Vdus = append(r.flavour.Vdus, r.containers.vdu(standard, node, r.anyVdu(name, node)))
	case cpTypes[standard] && r.room("connection points", len(r.flavour.Cps), node):
		r.flavour.Cps = append(r.flavour.Cps, r.cp(name, node))
	case storageKinds[standard] != "" && r.room("virtual storages", len(r.flavour.Storages), node):
		r.flavour.Storages = append(r.flavour.Storages, r.storage(name, storageKinds[standard], node))
	case standard == typeLink && r.room("virtual links", len(r.flavour.VirtualLinks), node):
		r.flavour.VirtualLinks = append(r.flavour.VirtualLinks, r.policies.link(name, node))
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
		r.problem(profile.place(), "max_number_of_instances is smaller than min_number_of_instances")
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
			r.warn(artifact.place(), "the image %s has no name, and is not uploaded to the VIM: %s", quoteName(file),
				inGlance(image))
		}
	} else {
		r.warn(artifact.place(), "names the image %s, which the archive lacks: %s", quoteName(file), inGlance(image))
	}
	return image
}

// inGlance names the image that the VIM must have.
func inGlance(i *SwImage) string {
	if i.Name == "" {
		return "Glance must have it by the name that the templates use"
	}
	needs := "Glance must have an image named " + quoteName(i.Name)
	if i.ChecksumHash != "" {
		needs += " with the " + cmp.Or(i.ChecksumAlgorithm, "checksum") + " " + quoteName(i.ChecksumHash)
	}
	return needs
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
			s.Size = resolveInput(r.root, size).str()
		}
	}
	return s
}

// mappedRequirements marks the connection points that substitution_mappings shows to the outside.
func (r *flavourReader) mappedRequirements() {
	for key, item := range r.root.at("substitution_mappings", "requirements").named() {
		target := item.words()
		if len(target) == 0 {
			continue
		}
		if !r.nodes.has(target[0]) {
			// Windlass only warns: nothing depends on the exposed connection point, and other VNFMs accept packages with such
			// mappings.
			r.warn(item.place(), "the requirement %s is mapped to the node %s, which does not exist", key,
				quoteName(target[0]))
			continue
		}
		if cp, ok := r.flavour.Cp(target[0]); ok {
			cp.External = true
		}
	}
}

// baseHOT finds and checks the templates of the flavour. If the package has none, Windlass makes them from the VNFD. A
// containerised VNF has none. The templates of a hybrid VNF contain only its VMs.
func (r *flavourReader) baseHOT() {
	dir := hotDir + "/" + r.flavour.ID
	var tops []string
	for _, name := range r.zip.filesIn(dir) {
		if path.Dir(name) == dir && isYAML(name) {
			tops = append(tops, name)
		}
	}
	if len(tops) == 0 {
		if len(r.zip.filesIn(dir)) > 0 {
			r.problem(dir, "holds no YAML file, so the flavour has no Base HOT")
			return
		}
		r.flavour.Containers = r.flavour.describesContainers()
		r.containers.takeApart("")
		if len(r.problems) == 0 && r.flavour.describesVMs() && r.generate != nil {
			r.generate(r.topology, r.flavour)
			r.templates.check()
		}
		return
	}
	if len(tops) > 1 {
		r.warn(dir, "holds several templates; Windlass uses %s", path.Base(tops[0]))
	}
	r.containers.takeApart(tops[0])
	r.flavour.BaseHOT = tops[0]
	r.flavour.Nested = map[string]string{}
	for _, name := range r.zip.filesIn(dir + "/nested") {
		if isYAML(name) {
			r.templates.nest(tops[0], path.Base(name), name)
		}
	}
	r.templates.check()
}

// vnfcProperties are the configurable properties that a type of VDU declares for its VNFCs (SOL001:
// VnfcConfigurableProperties).
func (r *flavourReader) vnfcProperties(vduType string) map[string]Member {
	return r.members(r.declaration(vduType, "configurable_properties").at("type").str(),
		nil)[additionalVnfcProperties].Members
}
