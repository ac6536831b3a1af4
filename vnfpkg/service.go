package vnfpkg

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// serviceTypes are the Kubernetes Service types that need only ports.
var serviceTypes = []string{"ClusterIP", "NodePort", "LoadBalancer"}

// mapPorts makes a Service from the ports that a VDU maps, "80:8080" or "80", as Tacker allows.
func (r *containerReader) mapPorts(name string, node *value) {
	s := Service{ID: name, Type: r.serviceType(node), Vdus: []string{name}}
	for _, item := range r.property(node, "mapping_ports").list() {
		text := r.word(item)
		outside, inside, two := strings.Cut(text, ":")
		if !two {
			inside = outside
		}
		p := ServicePort{Protocol: "TCP", Port: r.port(item, outside), Target: r.port(item, inside)}
		p.Name = "port-" + strconv.Itoa(p.Port)
		r.addPort(&s, p, item)
	}
	if len(s.Ports) > 0 && r.room("Services", len(r.flavour.Services), node) {
		r.flavour.Services = append(r.flavour.Services, s)
	}
}

// addPort adds a port to a Service. Its ports have distinct names and numbers.
func (r *containerReader) addPort(s *Service, p ServicePort, at *value) {
	twice := func(other ServicePort) bool {
		return other.Name == p.Name || other.Port == p.Port && other.Protocol == p.Protocol
	}
	switch {
	case p.Port == 0 || p.Target == 0: // reported before
	case slices.ContainsFunc(s.Ports, twice):
		r.problem(at.place(), "the port %d (%s) of %s has the number or the name of another port",
			p.Port, p.Name, s.ID)
	case r.room("ports of a Service", len(s.Ports), at):
		s.Ports = append(s.Ports, p)
	}
}

func (r *containerReader) serviceType(node *value) string {
	at := r.property(node, "service_type")
	text := r.word(at)
	if text != "" && !slices.Contains(serviceTypes, text) {
		r.problem(at.place(), "the service_type is %s: it must be one of %s",
			quoteName(text), strings.Join(serviceTypes, ", "))
	}
	return text
}

// services makes the Services for VDUs whose Pods the VNFD describes.
func (r *containerReader) services() {
	for _, v := range r.flavour.Described() {
		r.mapPorts(v.ID, r.nodes.at(v.ID))
	}
	for name, node := range r.nodes.members() {
		if r.builtinType(node.at("type").str()) == typeVirtualCp {
			r.virtualCp(name, node)
		}
	}
}

func (r *containerReader) virtualCp(name string, node *value) {
	s := Service{ID: name, Type: r.serviceType(node), Name: r.word(r.property(node, "service_name"))}
	if s.Name != "" {
		r.checkLabel(r.property(node, "service_name"), "the service_name", s.Name)
	}
	targets := 0
	for _, req := range r.requirements(node) {
		if req.name != "target" {
			continue
		}
		targets++
		vdu, ok := r.flavour.Vdu(req.target)
		switch {
		case !ok || !r.ofContainers[req.target]:
			r.problem(node.place(), "the connection point %s has the target %s, which is no VDU of containers",
				quoteName(name), quoteName(req.target))
		case vdu.Pod != nil && !r.flavour.charted(vdu.ID) && !slices.Contains(s.Vdus, vdu.ID):
			s.Vdus = append(s.Vdus, vdu.ID)
		}
	}
	if targets == 0 {
		r.problem(node.place(), "the connection point %s has no target", quoteName(name))
	}
	if len(s.Vdus) == 0 {
		return // manifests or charts make the Service
	}
	r.servicePorts(&s, node)
	if len(s.Ports) == 0 {
		r.warn(node.place(), "the connection point %s has no ports (additionalServiceData.portData), so Windlass "+
			"makes no Service from it", name)
		return
	}
	if r.room("Services", len(r.flavour.Services), node) {
		r.flavour.Services = append(r.flavour.Services, s)
	}
}

// servicePorts reads portData. A Service port targets the container port with its name, else the container port with
// its number.
func (r *containerReader) servicePorts(s *Service, node *value) {
	for _, data := range r.property(node, "additionalServiceData").list() {
		if sd := data.at("serviceData"); !sd.isNull() {
			r.warn(sd.place(), "Windlass ignores the hosts and paths of serviceData: it makes no Ingress")
		}
		for _, item := range data.at("portData").list() {
			p := ServicePort{Protocol: r.protocol(item, r.word(item.at("protocol"))), Port: r.port(item, r.word(item.at("port")))}
			named := r.word(item.at("name"))
			p.Name = ClusterName(cmp.Or(named, "port-"+strconv.Itoa(p.Port)), mostLabel)
			if p.Target = p.Port; !item.at("target_port").isNull() {
				p.Target = r.port(item, r.word(item.at("target_port")))
			} else if port := r.portNamed(s.Vdus, named); port > 0 {
				p.Target = port
			}
			r.addPort(s, p, item)
		}
	}
}

// portNamed is the number of the container port with that name, 0 for none.
func (r *containerReader) portNamed(vdus []string, name string) int {
	for _, id := range vdus {
		vdu, _ := r.flavour.Vdu(id)
		for _, c := range vdu.Pod.Containers {
			for _, p := range c.Ports {
				if name != "" && p.Name == name {
					return p.Port
				}
			}
		}
	}
	return 0
}
