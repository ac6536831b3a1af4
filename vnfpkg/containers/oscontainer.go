package containers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// deployable reads a VDU of containers.
func (r *Reader) deployable(node *document.Value, vdu descriptor.Vdu) descriptor.Vdu {
	name := vdu.ID
	mcio := r.Property(node, "mcio_identification_data")
	pod := &descriptor.Pod{
		Kind: cmp.Or(r.word(mcio.At("type")), descriptor.KindDeployment), Name: r.word(mcio.At("name")),
		Labels: r.labels(r.Property(node, "labels")), Namespace: r.namespace(node),
	}
	if pod.Kind != descriptor.KindDeployment && pod.Kind != descriptor.KindStatefulSet {
		r.Problem(mcio.At("type").Place(), "the type of mcio_identification_data is %s: it must be Deployment or "+
			"StatefulSet", document.Quote(pod.Kind))
	}
	if pod.Name != "" {
		r.checkLabel(mcio.At("name"), "the name of mcio_identification_data", pod.Name)
		vdu.Name = pod.Name
	}
	for _, req := range r.Requirements(node) {
		switch req.Name {
		case "container":
			r.deploys(pod, req.Target, node)
		case "virtual_storage":
			r.Warn(node.Place(), "Windlass does not make the storage %s of the VDU %s, because the VNFD does not "+
				"say where containers mount it: put it into manifests or a chart", req.Target, name)
		}
	}
	if len(pod.Containers) == 0 {
		r.Problem(node.Place(), "the VDU %s has no container (requirement container)", document.Quote(name))
	}
	pod.Nodes = r.nodeLabels(name, node)
	r.constraints(name, node)
	vdu.Pod = pod
	return vdu
}

// deploys adds the container that a node describes to a Pod.
func (r *Reader) deploys(pod *descriptor.Pod, target string, vdu *document.Value) {
	node := r.Nodes.At(target)
	if typeName := node.At("type").Str(); r.BuiltinType(typeName) != tosca.TypeContainer {
		r.Problem(vdu.Place(), "the requirement container names the node %s, which is of type %s, not %s",
			document.Quote(target), document.Quote(typeName), tosca.TypeContainer)
		return
	}
	r.addContainer(pod, target, node, r.osContainer)
}

// addContainer reads a container and adds it to a Pod. Container names are unique in a Pod. VDUs may share container
// nodes, so it counts the texts of all containers together.
func (r *Reader) addContainer(
	pod *descriptor.Pod, name string, node *document.Value,
	read func(name string, node *document.Value) descriptor.Container,
) {
	if !r.Room("containers", r.containers, node) {
		return
	}
	c := read(name, node)
	r.containers++
	r.containerTexts += c.TextSize()
	switch {
	case r.containerTexts > descriptor.MiB:
		r.Problem(node.File, "has more than the %d bytes allowed for the texts of all containers", descriptor.MiB)
	case slices.ContainsFunc(pod.Containers, func(other descriptor.Container) bool { return other.Name == c.Name }):
		r.Problem(node.Place(), "two containers of one VDU would be called %s on a cluster: give one of them another name",
			document.Quote(c.Name))
	default:
		pod.Containers = append(pod.Containers, c)
	}
}

func (r *Reader) osContainer(name string, node *document.Value) descriptor.Container {
	c := descriptor.Container{
		ID: name, Name: descriptor.ClusterName(name, descriptor.MaxLabel), Command: r.texts(r.written(node, "command")),
		Args: r.texts(r.written(node, "args")), Env: r.env(r.Property(node, "env")),
		Config: r.config(r.Property(node, "config")), Ports: r.containerPorts(r.Property(node, "ports")),
	}
	c.Image, c.Software = r.containerImage(node)
	s := r.sizesOf(name, node)
	c.Requests, c.Limits = s.requests, s.limits
	return c
}

// containerImage is the reference of an image. It is the property image of a derived type, else the artifact's name
// (with its version as tag if the name has no tag), else the artifact's file if the package lacks that file.
func (r *Reader) containerImage(node *document.Value) (descriptor.Word, *descriptor.SwImage) {
	artifact := r.ImageArtifact(node)
	var software *descriptor.SwImage
	if artifact != nil {
		software = tosca.SwImage(artifact.At("properties"))
		software.ContainerFormat = cmp.Or(software.ContainerFormat, "docker")
	}
	if image := r.text(r.written(node, "image")); image != (descriptor.Word{}) {
		return image, software
	}
	if artifact == nil {
		return descriptor.Word{}, nil
	}
	file := cmp.Or(artifact.At("file").Str(), artifact.Str())
	reference := withTag(r.word(artifact.At("properties", "name")), r.word(artifact.At("properties", "version")))
	if target, inside := r.Locate(node.File, file); inside {
		software.File = target
		r.Warn(artifact.Place(), "Windlass does not put the image %s into a registry: the cluster must be able to "+
			"pull %s", document.Quote(file), document.Quote(reference))
	} else if reference == "" {
		reference = file
	}
	software.Name = cmp.Or(software.Name, reference)
	return descriptor.Word{Text: reference}, software
}

// withTag adds the version of an image as its tag.
func withTag(name, version string) string {
	last := name[strings.LastIndex(name, "/")+1:]
	if name == "" || version == "" || strings.ContainsAny(last, ":@") {
		return name
	}
	return name + ":" + version
}
