package machine

import "context"

// Balancer is a driver that carries the traffic of load balancers that are no machines.
type Balancer interface {
	// Balance lets a load balancer serve its fronts, and no others; one without any is gone.
	Balance(ctx context.Context, b LoadBalancer) error
}

// LoadBalancer serves at an address.
type LoadBalancer struct {
	ID      string  `json:"id"`
	Address string  `json:"address"`
	Fronts  []Front `json:"fronts"`
}

// Front leads from a port to members.
type Front struct {
	Port    int      `json:"port"`
	Members []Member `json:"members"`
}

// Member is where a front leads to.
type Member struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Port    int    `json:"port"`
}
