package vnfpkg

import (
	"cmp"
	"slices"
	"strings"
)

// deployable reads a VDU of containers.
func (r *containerReader) deployable(node *value, vdu Vdu) Vdu {
	name := vdu.ID
	mcio := r.property(node, "mcio_identification_data")
	pod := &Pod{
		Kind: cmp.Or(r.word(mcio.at("type")), KindDeployment), Name: r.word(mcio.at("name")),
		Labels: r.labels(r.property(node, "labels")), Namespace: r.namespace(node),
	}
	if pod.Kind != KindDeployment && pod.Kind != KindStatefulSet {
		r.problem(mcio.at("type").place(), "the type of mcio_identification_data is %s: it must be Deployment or "+
			"StatefulSet", quoteName(pod.Kind))
	}
	if pod.Name != "" {
		r.checkLabel(mcio.at("name"), "the name of mcio_identification_data", pod.Name)
		vdu.Name = pod.Name
	}
	for _, req := range r.requirements(node) {
		switch req.name {
		case "container":
			r.deploys(pod, req.target, node)
		case "virtual_storage":
			r.warn(node.place(), "Windlass does not make the storage %s of the VDU %s, because the VNFD does not "+
				"say where containers mount it: put it into manifests or a chart", req.target, name)
		}
	}
	if len(pod.Containers) == 0 {
		r.problem(node.place(), "the VDU %s has no container (requirement container)", quoteName(name))
	}
	pod.Nodes = r.nodeLabels(name, node)
	r.constraints(name, node)
	vdu.Pod = pod
	return vdu
}

// deploys adds the container that a node describes to a Pod.
func (r *containerReader) deploys(pod *Pod, target string, vdu *value) {
	node := r.nodes.at(target)
	if typeName := node.at("type").str(); r.builtinType(typeName) != typeContainer {
		r.problem(vdu.place(), "the requirement container names the node %s, which is of type %s, not %s",
			quoteName(target), quoteName(typeName), typeContainer)
		return
	}
	r.addContainer(pod, target, node, r.osContainer)
}

// addContainer reads a container and adds it to a Pod. Container names are unique in a Pod. VDUs may share container
// nodes, so it counts the texts of all containers together.
func (r *containerReader) addContainer(
	pod *Pod, name string, node *value, read func(name string, node *value) Container,
) {
	if !r.room("containers", r.containers, node) {
		return
	}
	c := read(name, node)
	r.containers++
	r.containerTexts += c.textSize()
	switch {
	case r.containerTexts > mib:
		r.problem(node.file, "has more than the %d bytes allowed for the texts of all containers", mib)
	case slices.ContainsFunc(pod.Containers, func(other Container) bool { return other.Name == c.Name }):
		r.problem(node.place(), "two containers of one VDU would be called %s on a cluster: give one of them another name",
			quoteName(c.Name))
	default:
		pod.Containers = append(pod.Containers, c)
	}
}

func (r *containerReader) osContainer(name string, node *value) Container {
	c := Container{
		ID: name, Name: ClusterName(name, mostLabel), Command: r.texts(r.written(node, "command")),
		Args: r.texts(r.written(node, "args")), Env: r.env(r.property(node, "env")),
		Config: r.config(r.property(node, "config")), Ports: r.containerPorts(r.property(node, "ports")),
	}
	c.Image, c.Software = r.containerImage(node)
	s := r.sizesOf(name, node)
	c.Requests, c.Limits = s.requests, s.limits
	return c
}

// containerImage is the reference of an image. It is the property image of a derived type, else the artifact's name
// (with its version as tag if the name has no tag), else the artifact's file if the package lacks that file.
func (r *containerReader) containerImage(node *value) (Word, *SwImage) {
	artifact := r.imageArtifact(node)
	var software *SwImage
	if artifact != nil {
		software = swImage(artifact.at("properties"))
		software.ContainerFormat = cmp.Or(software.ContainerFormat, "docker")
	}
	if image := r.text(r.written(node, "image")); image != (Word{}) {
		return image, software
	}
	if artifact == nil {
		return Word{}, nil
	}
	file := cmp.Or(artifact.at("file").str(), artifact.str())
	reference := withTag(r.word(artifact.at("properties", "name")), r.word(artifact.at("properties", "version")))
	if target, inside := r.locate(node.file, file); inside {
		software.File = target
		r.warn(artifact.place(), "Windlass does not put the image %s into a registry: the cluster must be able to "+
			"pull %s", quoteName(file), quoteName(reference))
	} else if reference == "" {
		reference = file
	}
	software.Name = cmp.Or(software.Name, reference)
	return Word{Text: reference}, software
}

// withTag adds the version of an image as its tag.
func withTag(name, version string) string {
	last := name[strings.LastIndex(name, "/")+1:]
	if name == "" || version == "" || strings.ContainsAny(last, ":@") {
		return name
	}
	return name + ":" + version
}
