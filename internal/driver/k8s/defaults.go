package k8s

// Defaults are values from Windlass's configuration for clusters whose requests and packages do not give them.
type Defaults struct {
	// AptRepository is the source of Kubernetes packages for nodes, AptKey its armored key; nil when there is none.
	AptRepository *AptRepository
	AptKey        []byte
	PodNetwork    PodNetwork
}
