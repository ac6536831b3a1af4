package lcm

import "strconv"

// ExposedService is a Service of a VNF on a Kubernetes, which every node of that serves under the same ports.
type ExposedService struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// NodePorts are those of TCP.
	NodePorts []int `json:"nodePorts,omitempty"`
}

// ExposedPorts are the ports of a VNF's Services that a load balancer before its cluster serves.
type ExposedPorts struct {
	Owner VnfInstanceID `json:"owner"`
	Ports []int         `json:"ports"`
}

// BalancerID is by which a VNF that is exposed remembers the host key of a load balancer, the first one being 0.
func BalancerID(i int) string {
	if i == 0 {
		return "load-balancer"
	}
	return "load-balancer-" + strconv.Itoa(i+1)
}
