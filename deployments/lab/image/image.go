// Package image builds what the lab's machines run, from nothing but Debian's packages and the Go
// module proxy: a root file system with kubeadm, kubelet, containerd, haproxy and keepalived, layers for
// storage servers and registries and for Ansible servers, and the container images of a Kubernetes cluster.
package image

// Image is a built node image.
type Image struct {
	// Base and Node are the lower layers of a machine's overlay: Debian, and what makes it a node.
	Base, Node string
	// Services, Ansible and Downloads are the directories of the further layers; EnsureLayers builds them.
	Services, Ansible, Downloads string
	// Containerd is containerd's directory with every image imported; machines hard-link it.
	Containerd string
	// Kubernetes is the version, e.g. "v1.34.4".
	Kubernetes string
	// Programs has Kubernetes's programs, Etcd those of etcd; they are static.
	Programs, Etcd string

	options Options // that it was built with
}
