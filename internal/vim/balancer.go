package vim

// LoadBalancer is the wanted state of a load balancer of the cloud.
type LoadBalancer struct {
	// Name is decided beforehand: a load balancer of this name is the same one. The cloud keeps Owner with it.
	Name, Owner string
	// PortID is the port whose address the load balancer serves.
	PortID string
	// Provider and FlavorID are the cloud's names for the load balancer's driver and its size; "" for the default.
	Provider, FlavorID string
	Routes             []Route
}

// Route leads from a port of a load balancer to members, over TCP.
type Route struct {
	// Name is unique in its load balancer.
	Name             string
	Port, MemberPort int
	Members          []RouteMember
	// HealthPath is the path of the HTTPS health check, and HealthCodes are its good answers. "" checks only whether the
	// port is open.
	HealthPath, HealthCodes string
}

// RouteMember is a target of a route.
type RouteMember struct{ Name, Address string }
