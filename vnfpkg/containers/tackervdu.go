package containers

import (
	"cmp"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// tackerVdu reads a VDU of containers in Tacker's first form: each member of vnfcs is a container.
func (r *Reader) tackerVdu(node *document.Value, vdu descriptor.Vdu) descriptor.Vdu {
	name := vdu.ID
	vdu.Name = cmp.Or(vdu.Name, name)
	pod := &descriptor.Pod{
		Kind: descriptor.KindDeployment, Namespace: r.namespace(node), Labels: r.labels(r.Property(node, "labels")),
	}
	vnfcs := r.Property(node, "vnfcs")
	for id, vnfc := range vnfcs.Members() {
		r.addContainer(pod, id, vnfc, r.vnfc)
	}
	if len(pod.Containers) == 0 {
		r.Problem(node.Place(), "the VDU %s has no vnfcs: Windlass needs them to make containers of VDUs of the "+
			"type %s", document.Quote(name), tosca.TypeTackerVdu)
	}
	vdu.Pod = pod
	return vdu
}

// vnfc reads one container. Its limits equal its requests, as with Tacker.
func (r *Reader) vnfc(id string, node *document.Value) descriptor.Container {
	c := descriptor.Container{
		ID: id, Name: descriptor.ClusterName(id, descriptor.MaxLabel), Image: r.text(node.At("image")),
		Command: r.texts(node.At("command")), Args: r.texts(node.At("args")), Env: r.env(node.At("env")),
		Config: r.config(node.At("config")), Ports: r.containerPorts(node.At("ports")),
		Requests: map[string]string{}, Limits: map[string]string{},
	}
	if c.Image == (descriptor.Word{}) {
		r.Problem(node.Place(), "the container %s has no image", document.Quote(id))
	}
	cpus, memory := r.cpus(node.At("num_cpus")), r.bytes(tosca.ResolveInput(r.Root, node.At("mem_size")))
	for _, to := range []map[string]string{c.Requests, c.Limits} {
		put(to, descriptor.ResourceCPU, cpus, milliText)
		put(to, descriptor.ResourceMemory, memory, bytesText)
	}
	return c
}
