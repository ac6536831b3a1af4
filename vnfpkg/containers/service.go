package containers

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// serviceTypes are the Kubernetes Service types that need only ports.
var serviceTypes = []string{"ClusterIP", "NodePort", "LoadBalancer"}

// mapPorts makes a Service from the ports that a VDU maps, "80:8080" or "80", as Tacker allows.
func (r *Reader) mapPorts(name string, node *document.Value) {
	s := descriptor.Service{ID: name, Type: r.serviceType(node), Vdus: []string{name}}
	for _, item := range r.Property(node, "mapping_ports").List() {
		text := r.word(item)
		outside, inside, two := strings.Cut(text, ":")
		if !two {
			inside = outside
		}
		p := descriptor.ServicePort{Protocol: "TCP", Port: r.port(item, outside), Target: r.port(item, inside)}
		p.Name = "port-" + strconv.Itoa(p.Port)
		r.addPort(&s, p, item)
	}
	if len(s.Ports) > 0 && r.Room("Services", len(r.flavour.Services), node) {
		r.flavour.Services = append(r.flavour.Services, s)
	}
}

// addPort adds a port to a Service. Its ports have distinct names and numbers.
func (r *Reader) addPort(s *descriptor.Service, p descriptor.ServicePort, at *document.Value) {
	twice := func(other descriptor.ServicePort) bool {
		return other.Name == p.Name || other.Port == p.Port && other.Protocol == p.Protocol
	}
	switch {
	case p.Port == 0 || p.Target == 0: // reported before
	case slices.ContainsFunc(s.Ports, twice):
		r.Problem(at.Place(), "the port %d (%s) of %s has the number or the name of another port",
			p.Port, p.Name, s.ID)
	case r.Room("ports of a Service", len(s.Ports), at):
		s.Ports = append(s.Ports, p)
	}
}

func (r *Reader) serviceType(node *document.Value) string {
	at := r.Property(node, "service_type")
	text := r.word(at)
	if text != "" && !slices.Contains(serviceTypes, text) {
		r.Problem(at.Place(), "the service_type is %s: it must be one of %s",
			document.Quote(text), strings.Join(serviceTypes, ", "))
	}
	return text
}

// services makes the Services for VDUs whose Pods the VNFD describes.
func (r *Reader) services() {
	for _, v := range r.flavour.Described() {
		r.mapPorts(v.ID, r.Nodes.At(v.ID))
	}
	for name, node := range r.Nodes.Members() {
		if r.BuiltinType(node.At("type").Str()) == tosca.TypeVirtualCp {
			r.virtualCp(name, node)
		}
	}
}

func (r *Reader) virtualCp(name string, node *document.Value) {
	s := descriptor.Service{ID: name, Type: r.serviceType(node), Name: r.word(r.Property(node, "service_name"))}
	if s.Name != "" {
		r.checkLabel(r.Property(node, "service_name"), "the service_name", s.Name)
	}
	targets := 0
	for _, req := range r.Requirements(node) {
		if req.Name != "target" {
			continue
		}
		targets++
		vdu, ok := r.flavour.Vdu(req.Target)
		switch {
		case !ok || !r.ofContainers[req.Target]:
			r.Problem(node.Place(), "the connection point %s has the target %s, which is no VDU of containers",
				document.Quote(name), document.Quote(req.Target))
		case vdu.Pod != nil && !r.flavour.Charted(vdu.ID) && !slices.Contains(s.Vdus, vdu.ID):
			s.Vdus = append(s.Vdus, vdu.ID)
		}
	}
	if targets == 0 {
		r.Problem(node.Place(), "the connection point %s has no target", document.Quote(name))
	}
	if len(s.Vdus) == 0 {
		return // manifests or charts make the Service
	}
	r.servicePorts(&s, node)
	if len(s.Ports) == 0 {
		r.Warn(node.Place(), "the connection point %s has no ports (additionalServiceData.portData), so Windlass "+
			"makes no Service from it", name)
		return
	}
	if r.Room("Services", len(r.flavour.Services), node) {
		r.flavour.Services = append(r.flavour.Services, s)
	}
}

// servicePorts reads portData. A Service port targets the container port with its name, else the container port with
// its number.
func (r *Reader) servicePorts(s *descriptor.Service, node *document.Value) {
	for _, data := range r.Property(node, "additionalServiceData").List() {
		if sd := data.At("serviceData"); !sd.IsNull() {
			r.Warn(sd.Place(), "Windlass ignores the hosts and paths of serviceData: it makes no Ingress")
		}
		for _, item := range data.At("portData").List() {
			p := descriptor.ServicePort{
				Protocol: r.protocol(item, r.word(item.At("protocol"))), Port: r.port(item, r.word(item.At("port"))),
			}
			named := r.word(item.At("name"))
			p.Name = descriptor.ClusterName(cmp.Or(named, "port-"+strconv.Itoa(p.Port)), descriptor.MaxLabel)
			if p.Target = p.Port; !item.At("target_port").IsNull() {
				p.Target = r.port(item, r.word(item.At("target_port")))
			} else if port := r.portNamed(s.Vdus, named); port > 0 {
				p.Target = port
			}
			r.addPort(s, p, item)
		}
	}
}

// portNamed is the number of the container port with that name, 0 for none.
func (r *Reader) portNamed(vdus []string, name string) int {
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
