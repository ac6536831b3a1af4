package k8s

// Defaults are what the configuration of Windlass gives clusters whose requests and packages have none of it.
type Defaults struct {
	// AptRepository is where nodes get Kubernetes from, AptKey its armored key; nil when there is none.
	AptRepository *AptRepository
	AptKey        []byte
	// PodNetwork is the manifest of the pod network; empty when there is none.
	PodNetwork []byte
}
