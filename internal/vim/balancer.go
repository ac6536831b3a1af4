package vim

// LoadBalancer is one of the cloud, as it is to be.
type LoadBalancer struct {
	// Name was decided beforehand: a load balancer of this name is the same one. Owner is kept with it.
	Name, Owner string
	// PortID is the port with the address at which it serves.
	PortID string
	// Provider and FlavorID are the cloud's words for who makes it, and how large; "" for the default.
	Provider, FlavorID string
	Routes             []Route
}

// Route leads from a port of a load balancer to members, over TCP.
type Route struct {
	// Name is unique in its load balancer.
	Name             string
	Port, MemberPort int
	Members          []RouteMember
	// HealthPath is asked of members over HTTPS, where HealthCodes are good answers; "" only looks whether the port is
	// open.
	HealthPath, HealthCodes string
}

// RouteMember is where a route leads to.
type RouteMember struct{ Name, Address string }
