package vnfd

import (
	"cmp"
	"path"
	"slices"

	"github.com/windlass-nfv/windlass/vnfpkg/containers"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// flavourReader turns one definition file into a Flavour. Each of its parts reads one subject.
type flavourReader struct {
	*tosca.Topology
	flavour    *descriptor.Flavour
	hooks      hookReader
	containers *containers.Reader
	policies   policyReader
	templates  *hot.Reader
	generate   Generator
}

func (l *reader) flavour(doc *document.Value) descriptor.Flavour {
	t, f := l.TopologyOf(doc), &descriptor.Flavour{}
	r := &flavourReader{
		Topology: t, flavour: f, hooks: hookReader{t, f}, containers: containers.NewReader(t, f),
		policies: newPolicyReader(t, f), templates: hot.NewReader(t, f), generate: l.generate,
	}
	return r.read(doc)
}

func (r *flavourReader) read(doc *document.Value) descriptor.Flavour {
	r.flavour.ID, r.flavour.Definition = r.flavourID(doc), doc.File
	for name, node := range r.Nodes.Members() {
		r.node(name, node)
	}
	r.mappedRequirements()
	r.containers.Pods()
	r.flavour.LcmOperations = r.lcmOperations()
	r.policies.read()
	r.policies.checkAutoscaling()
	r.containers.CheckPlacement()
	r.containers.CheckConstraints()
	r.policies.checkLevels()
	r.policies.checkBitrates()
	r.baseHOT()
	return *r.flavour
}

func (r *flavourReader) flavourID(doc *document.Value) string {
	candidates := []*document.Value{r.Root.At("substitution_mappings", "properties", "flavour_id")}
	for _, node := range r.Nodes.Members() {
		if r.BuiltinType(node.At("type").Str()) == tosca.TypeVNF {
			candidates = append(candidates, node.At("properties", "flavour_id"),
				r.TypeDefault(node.At("type").Str(), "flavour_id"))
		}
	}
	for _, c := range candidates {
		if id := tosca.ResolveInput(r.Root, c).Str(); id != "" {
			return id
		}
	}
	r.Problem(doc.File, "the definition has VDUs or substitution_mappings but no flavour_id")
	return ""
}

func (r *flavourReader) node(name string, node *document.Value) {
	typeName := node.At("type").Str()
	standard := r.BuiltinType(typeName)
	switch {
	case typeName == "":
		r.Problem(node.Place(), "the node %s has no type", document.Quote(name))
	case standard == "" && r.Incomplete: // its type was perhaps in a definition that could not be read
	case standard == "":
		r.Problem(node.Place(), "the node %s is of type %s, which no imported definition defines", document.Quote(name),
			document.Quote(typeName))
	case standard == tosca.TypeVNF:
		r.flavour.Description = node.At("properties", "flavour_description").Str()
		for _, def := range slices.Backward(tosca.Derivation(r.NodeTypes, typeName)) {
			r.hooks.read(def)
		}
		r.hooks.read(node)
	case standard == tosca.TypeCompute && r.Room("VDUs", len(r.flavour.Vdus), node):
		r.flavour.Vdus = append(r.flavour.Vdus, r.vdu(name, node))
	case (standard == tosca.TypeDeployable || standard == tosca.TypeTackerVdu) &&
		r.Room("VDUs", len(r.flavour.Vdus), node):
		r.flavour.Vdus = append(r.flavour.Vdus, r.containers.Vdu(standard, node, r.anyVdu(name, node)))
	case cpTypes[standard] && r.Room("connection points", len(r.flavour.Cps), node):
		r.flavour.Cps = append(r.flavour.Cps, r.cp(name, node))
	case storageKinds[standard] != "" && r.Room("virtual storages", len(r.flavour.Storages), node):
		r.flavour.Storages = append(r.flavour.Storages, r.storage(name, storageKinds[standard], node))
	case standard == tosca.TypeLink && r.Room("virtual links", len(r.flavour.VirtualLinks), node):
		r.flavour.VirtualLinks = append(r.flavour.VirtualLinks, r.policies.link(name, node))
	}
}

// anyVdu reads the parts that VDUs of VMs and of containers share.
func (r *flavourReader) anyVdu(name string, node *document.Value) descriptor.Vdu {
	profile := r.Property(node, "vdu_profile")
	vdu := descriptor.Vdu{
		ID:           name,
		Name:         r.Property(node, "name").Str(),
		Description:  r.Property(node, "description").Str(),
		MinInstances: r.Count(profile.At("min_number_of_instances")),
		MaxInstances: r.Count(profile.At("max_number_of_instances")),

		ConfigurableProperties: r.vnfcProperties(node.At("type").Str()),
	}
	if vdu.MaxInstances > 0 && vdu.MaxInstances < vdu.MinInstances {
		r.Problem(profile.Place(), "max_number_of_instances is smaller than min_number_of_instances")
	}
	return vdu
}

func (r *flavourReader) vdu(name string, node *document.Value) descriptor.Vdu {
	compute := func(property string) *document.Value { return r.Capability(node, property) }
	vdu := r.anyVdu(name, node)
	vdu.Image = r.image(node)
	vdu.ComputeFlavour = computeFlavour(compute("requested_additional_capabilities"))
	vdu.VirtualCpus = r.Count(compute("virtual_cpu").At("num_virtual_cpu"))
	vdu.VirtualMemory = compute("virtual_memory").At("virtual_mem_size").Str()
	for _, req := range r.Requirements(node) {
		if req.Name == "virtual_storage" && !slices.Contains(vdu.Storages, req.Target) {
			vdu.Storages = append(vdu.Storages, req.Target)
		}
	}
	return vdu
}

// computeFlavour finds the name of the Nova flavour. SOL001 has a map of capabilities; Tacker's packages have the
// properties of a single capability instead.
func computeFlavour(capabilities *document.Value) string {
	const name = "requested_additional_capability_name"
	if s := capabilities.At("properties", name).Str(); s != "" {
		return s
	}
	for _, c := range capabilities.Members() {
		if s := c.At(name).Str(); s != "" {
			return s
		}
	}
	return ""
}

// image reads sw_image_data and the artifact with the image's file. The file may be absent, because images are often in
// the VIM already. Windlass uploads an image from the package if the VIM has none of that name.
func (r *flavourReader) image(node *document.Value) *descriptor.SwImage {
	data := r.Property(node, "sw_image_data")
	artifact := r.ImageArtifact(node)
	if !data.IsMap() { // since SOL001 v2.7.1 the artifact has these properties
		data = artifact.At("properties")
	}
	if !data.IsMap() && artifact == nil {
		return nil
	}
	image := tosca.SwImage(data)
	file := artifact.At("file").Str()
	if file == "" {
		return image
	}
	if target, ok := r.Locate(artifact.File, file); ok {
		image.File = target
		if image.Name == "" {
			r.Warn(artifact.Place(), "the image %s has no name, and is not uploaded to the VIM: %s", document.Quote(file),
				inGlance(image))
		}
	} else {
		r.Warn(artifact.Place(), "names the image %s, which the archive lacks: %s", document.Quote(file), inGlance(image))
	}
	return image
}

// inGlance names the image that the VIM must have.
func inGlance(i *descriptor.SwImage) string {
	if i.Name == "" {
		return "Glance must have it by the name that the templates use"
	}
	needs := "Glance must have an image named " + document.Quote(i.Name)
	if i.ChecksumHash != "" {
		needs += " with the " + cmp.Or(i.ChecksumAlgorithm, "checksum") + " " + document.Quote(i.ChecksumHash)
	}
	return needs
}

func (r *flavourReader) cp(name string, node *document.Value) descriptor.VduCp {
	cp := descriptor.VduCp{
		ID:             name,
		Order:          r.Count(r.Property(node, "order")),
		LayerProtocols: r.Property(node, "layer_protocols").Words(),
	}
	for _, req := range r.Requirements(node) {
		switch req.Name {
		case "virtual_binding":
			cp.VduID = req.Target
		case "virtual_link", "internal_virtual_link":
			cp.VirtualLink = req.Target
		}
	}
	cp.External = cp.VirtualLink == ""
	return cp
}

func (r *flavourReader) storage(name, kind string, node *document.Value) descriptor.VirtualStorage {
	s := descriptor.VirtualStorage{ID: name, Kind: kind, Image: r.image(node)}
	for _, size := range []*document.Value{
		r.Property(node, "virtual_"+kind+"_storage_data").At("size_of_storage"), r.Property(node, "size_of_storage"),
		r.Property(node, "virtual_object_storage_data").At("max_size_of_storage"),
	} {
		if s.Size == "" {
			s.Size = tosca.ResolveInput(r.Root, size).Str()
		}
	}
	return s
}

// mappedRequirements marks the connection points that substitution_mappings shows to the outside.
func (r *flavourReader) mappedRequirements() {
	for key, item := range r.Root.At("substitution_mappings", "requirements").Named() {
		target := item.Words()
		if len(target) == 0 {
			continue
		}
		if !r.Nodes.Has(target[0]) {
			// Windlass only warns: nothing depends on the exposed connection point, and other VNFMs accept packages with such
			// mappings.
			r.Warn(item.Place(), "the requirement %s is mapped to the node %s, which does not exist", key,
				document.Quote(target[0]))
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
	dir := hot.Dir + "/" + r.flavour.ID
	var tops []string
	for _, name := range r.Zip.FilesIn(dir) {
		if path.Dir(name) == dir && document.IsYAML(name) {
			tops = append(tops, name)
		}
	}
	if len(tops) == 0 {
		if len(r.Zip.FilesIn(dir)) > 0 {
			r.Problem(dir, "holds no YAML file, so the flavour has no Base HOT")
			return
		}
		r.flavour.Containers = r.flavour.DescribesContainers()
		r.containers.TakeApart("")
		if len(r.Problems) == 0 && r.flavour.DescribesVMs() && r.generate != nil {
			r.generate(r.Topology, r.flavour)
			r.templates.Check()
		}
		return
	}
	if len(tops) > 1 {
		r.Warn(dir, "holds several templates; Windlass uses %s", path.Base(tops[0]))
	}
	r.containers.TakeApart(tops[0])
	r.flavour.BaseHOT = tops[0]
	r.flavour.Nested = map[string]string{}
	for _, name := range r.Zip.FilesIn(dir + "/nested") {
		if document.IsYAML(name) {
			r.templates.Nest(tops[0], path.Base(name), name)
		}
	}
	r.templates.Check()
}

// vnfcProperties are the configurable properties that a type of VDU declares for its VNFCs (SOL001:
// VnfcConfigurableProperties).
func (r *flavourReader) vnfcProperties(vduType string) map[string]descriptor.Member {
	return r.Members(r.Declaration(vduType, "configurable_properties").At("type").Str(),
		nil)[additionalVnfcProperties].Members
}
