package machine

import "context"

// Balancer is a hypervisor that can also carry the traffic of the cloud's own load balancers, which have no machine.
type Balancer interface {
	// Balance makes a load balancer serve exactly its fronts. A load balancer without fronts is removed.
	Balance(ctx context.Context, b LoadBalancer) error
}

// LoadBalancer serves its fronts at one address.
type LoadBalancer struct {
	ID      string  `json:"id"`
	Address string  `json:"address"`
	Fronts  []Front `json:"fronts"`
}

// Front forwards a port to members.
type Front struct {
	Port    int      `json:"port"`
	Members []Member `json:"members"`
}

// Member is a target of a front.
type Member struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Port    int    `json:"port"`
}
