package vnfpkg

import (
	"cmp"
)

// tackerVdu reads a VDU of containers in Tacker's first form: each member of vnfcs is a container.
func (r *containerReader) tackerVdu(node *value, vdu Vdu) Vdu {
	name := vdu.ID
	vdu.Name = cmp.Or(vdu.Name, name)
	pod := &Pod{
		Kind: KindDeployment, Namespace: r.namespace(node), Labels: r.labels(r.property(node, "labels")),
	}
	vnfcs := r.property(node, "vnfcs")
	for id, vnfc := range vnfcs.members() {
		r.addContainer(pod, id, vnfc, r.vnfc)
	}
	if len(pod.Containers) == 0 {
		r.problem(node.place(), "the VDU %s has no vnfcs: Windlass needs them to make containers of VDUs of the "+
			"type %s", quoteName(name), typeTackerVdu)
	}
	vdu.Pod = pod
	return vdu
}

// vnfc reads one container. Its limits equal its requests, as with Tacker.
func (r *containerReader) vnfc(id string, node *value) Container {
	c := Container{
		ID: id, Name: ClusterName(id, mostLabel), Image: r.text(node.at("image")), Command: r.texts(node.at("command")),
		Args: r.texts(node.at("args")), Env: r.env(node.at("env")), Config: r.config(node.at("config")),
		Ports: r.containerPorts(node.at("ports")), Requests: map[string]string{}, Limits: map[string]string{},
	}
	if c.Image == (Word{}) {
		r.problem(node.place(), "the container %s has no image", quoteName(id))
	}
	cpus, memory := r.cpus(node.at("num_cpus")), r.bytes(resolveInput(r.root, node.at("mem_size")))
	for _, to := range []map[string]string{c.Requests, c.Limits} {
		put(to, resourceCPU, cpus, milliText)
		put(to, resourceMemory, memory, bytesText)
	}
	return c
}
