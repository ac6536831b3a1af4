package lcm

import "strconv"

// ExposedService is a Service of a VNF on a Kubernetes. Every node of the cluster serves it under the same ports.
type ExposedService struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// NodePorts are the TCP ports.
	NodePorts []int `json:"nodePorts,omitempty"`
}

// ExposedPorts are the Service ports of a VNF that a load balancer in front of its cluster serves.
type ExposedPorts struct {
	Owner VnfInstanceID `json:"owner"`
	Ports []int         `json:"ports"`
}

// BalancerID is the id under which an exposed VNF stores the host key of a load balancer; the first one is 0.
func BalancerID(i int) string {
	if i == 0 {
		return "load-balancer"
	}
	return "load-balancer-" + strconv.Itoa(i+1)
}
