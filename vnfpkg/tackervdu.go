package vnfpkg

import (
	"math"
	"strconv"
)

// tackerVdu reads a VDU of containers in Tacker's first form: each member of vnfcs is a container.
func (r *flavourReader) tackerVdu(name string, node *value) Vdu {
	vdu := r.anyVdu(name, node)
	vdu.Name = first(vdu.Name, name)
	pod := &Pod{
		Kind: KindDeployment, Namespace: r.namespace(node), Labels: r.labels(r.property(node, "labels")),
	}
	vnfcs := r.property(node, "vnfcs")
	for id, vnfc := range vnfcs.members() {
		r.addContainer(pod, id, vnfc, r.vnfc)
	}
	if len(pod.Containers) == 0 {
		r.rep.problem(node.place(), "the VDU %s has no vnfcs: Windlass needs them to make containers of VDUs of the "+
			"type %s", quoteName(name), typeTackerVdu)
	}
	vdu.Pod = pod
	return vdu
}

// vnfc reads one container. Its limits equal its requests, as with Tacker.
func (r *flavourReader) vnfc(id string, node *value) Container {
	c := Container{
		ID: id, Name: ClusterName(id, mostLabel), Image: r.text(node.at("image")), Command: r.texts(node.at("command")),
		Args: r.texts(node.at("args")), Env: r.env(node.at("env")), Config: r.config(node.at("config")),
		Ports: r.containerPorts(node.at("ports")), Requests: map[string]string{}, Limits: map[string]string{},
	}
	if c.Image == (Word{}) {
		r.rep.problem(node.place(), "the container %s has no image", quoteName(id))
	}
	cpus, memory := r.cpus(node.at("num_cpus")), r.bytes(resolveInput(r.topology, node.at("mem_size")))
	for _, to := range []map[string]string{c.Requests, c.Limits} {
		put(to, resourceCPU, cpus, milliText)
		put(to, resourceMemory, memory, bytesText)
	}
	return c
}

// cpus reads a number of CPUs, which may have a fraction, in thousandths.
func (r *flavourReader) cpus(v *value) float64 {
	text := r.word(v)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0.001 && n*1000 <= mostMilli) {
		r.rep.problem(v.place(), "%s is not a number of CPUs, such as 0.5", quoteName(text))
		return 0
	}
	return math.Round(n * 1000)
}
