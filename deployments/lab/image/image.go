// Package image builds what the lab's machines run, from nothing but Debian's packages and the Go
// module proxy: a root file system with kubeadm, kubelet, containerd, haproxy and keepalived, a layer for
// storage servers and registries, and the container images of a Kubernetes cluster.
package image

import (
	"slices"
	"strings"
)

// Image is a built node image.
type Image struct {
	// Base and Node are the lower layers of a machine's overlay: Debian, and what makes it a node.
	Base, Node string
	// Services is a further layer, with NFS-Ganesha, Docker and Docker's registry, none of them started.
	Services string
	// Containerd is containerd's directory with every image imported; machines hard-link it.
	Containerd string
	// Kubernetes is the version, e.g. "v1.34.4".
	Kubernetes string
	// Programs has Kubernetes's programs, Etcd those of etcd; they are static.
	Programs, Etcd string
}

// Layers lists the lower directories of a machine, the uppermost first. If its image's name or its own speaks of
// storage, a registry or services, it has the services; all others are the plain node: the lab's Glance takes any name.
func (i Image) Layers(names ...string) []string {
	layers := []string{i.Node, i.Base}
	for _, word := range []string{"storage", "registry", "services"} {
		if i.Services != "" && strings.Contains(strings.ToLower(strings.Join(names, " ")), word) {
			return slices.Insert(layers, 0, i.Services)
		}
	}
	return layers
}
