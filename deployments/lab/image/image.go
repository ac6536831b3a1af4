// Package image builds what the lab's machines run, from nothing but Debian's packages and the Go
// module proxy: a root file system with kubeadm, kubelet, containerd, haproxy and keepalived, layers for
// storage servers and registries and for Ansible servers, and the container images of a Kubernetes cluster.
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
	// Ansible is a further layer, with Ansible and what it needs to log in to other machines.
	Ansible string
	// Containerd is containerd's directory with every image imported; machines hard-link it.
	Containerd string
	// Kubernetes is the version, e.g. "v1.34.4".
	Kubernetes string
	// Programs has Kubernetes's programs, Etcd those of etcd; they are static.
	Programs, Etcd string
}

// Layers lists the lower directories of a machine, the uppermost first. If its image's name or its own speaks of
// storage, a registry or services, it has the services, if one speaks of Ansible, that; all others are the plain node:
// the lab's Glance takes any name.
func (i Image) Layers(names ...string) []string {
	layers, all := []string{i.Node, i.Base}, strings.ToLower(strings.Join(names, " "))
	speaksOf := func(word string) bool { return strings.Contains(all, word) }
	if i.Services != "" && slices.ContainsFunc([]string{"storage", "registry", "services"}, speaksOf) {
		layers = slices.Insert(layers, 0, i.Services)
	}
	if i.Ansible != "" && speaksOf("ansible") {
		layers = slices.Insert(layers, 0, i.Ansible)
	}
	return layers
}
