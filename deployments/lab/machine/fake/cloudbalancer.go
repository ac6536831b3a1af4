package fake

import (
	"context"
	"net"
	"slices"
	"strconv"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

var _ machine.Balancer = (*Hypervisor)(nil)

// apiServerPort is the port of API servers.
const apiServerPort = 6443

// Balance implements machine.Balancer: machines get an answer at the address of a load balancer of the cloud.
func (h *Hypervisor) Balance(_ context.Context, b machine.LoadBalancer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(b.Fronts) == 0 {
		delete(h.balancers, b.ID)
		return nil
	}
	h.balancers[b.ID] = b
	return nil
}

func (h *Hypervisor) cloudBalancers() (all []machine.LoadBalancer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.balancers {
		all = append(all, b)
	}
	return all
}

// answersInCloud reports whether a load balancer of the cloud leads from host and port to an API server. During an
// init, m itself counts as that server.
func (h *Hypervisor) answersInCloud(m *Machine, hostPort string, initialising bool) bool {
	host, port, _ := net.SplitHostPort(hostPort)
	for _, b := range h.cloudBalancers() {
		for _, front := range b.Fronts {
			if b.Address != host || strconv.Itoa(front.Port) != port {
				continue
			}
			if slices.ContainsFunc(front.Members, func(to machine.Member) bool {
				other := h.machineAt(to.Address)
				return initialising && m.hasAddress(to.Address) || other != nil && other.servesAPI()
			}) {
				return true
			}
		}
	}
	return false
}

// inCloud returns the cloud's load balancers for clusters; they have no machine.
func (h *Hypervisor) inCloud() (all []ExternalBalancer) {
	for _, b := range h.cloudBalancers() {
		out := ExternalBalancer{}
		for _, front := range b.Fronts {
			for _, to := range front.Members {
				switch server := to.Name + " " + to.Address; {
				case to.Port == apiServerPort:
					out.Servers = append(out.Servers, server)
				case !slices.Contains(out.NodePortServers, server):
					out.NodePortServers = append(out.NodePortServers, server)
				}
			}
			if len(front.Members) == 0 || front.Members[0].Port != apiServerPort {
				out.NodePorts = append(out.NodePorts, front.Port)
			}
		}
		all = append(all, out)
	}
	return all
}
