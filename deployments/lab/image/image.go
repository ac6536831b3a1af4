// Package image builds what the lab's machines run, from nothing but Debian's packages and the Go
// module proxy: a root file system with kubeadm, kubelet, containerd, haproxy and keepalived, and the
// container images of a Kubernetes cluster.
package image

// Image is a built node image.
type Image struct {
	// Base and Node are the lower layers of a machine's overlay: Debian, and what makes it a node.
	Base, Node string
	// Extras are further layers by image name, e.g. of a machine that needs an NFS server.
	Extras map[string]string
	// Containerd is containerd's directory with every image imported; machines hard-link it.
	Containerd string
	// Kubernetes is the version, e.g. "v1.34.4".
	Kubernetes string
}

// Layers lists the lower directories of a machine of that image, the uppermost first. An unknown
// name is the plain node: the lab's Glance takes any name.
func (i Image) Layers(name string) []string {
	layers := []string{i.Node, i.Base}
	if extra, ok := i.Extras[name]; ok {
		layers = append([]string{extra}, layers...)
	}
	return layers
}
