package image

import (
	"context"
	"os"
	"slices"
	"strings"
)

// Layer is a further layer of a machine, for what only some machines are.
type Layer string

// The further layers.
const (
	// Services is that of storage servers and registries: NFS-Ganesha, Docker and Docker's registry, none of them started.
	Services Layer = "services"
	// Ansible is that of Ansible servers: Ansible, and what it needs to log in to other machines.
	Ansible Layer = "ansible"
	// Downloads is above the layer of Ansible servers: what kubespray downloads, for a cloud without the Internet.
	Downloads Layer = "downloads"
)

// layers are the titles of the layers for people who wait, and their packages.
var layers = map[Layer]struct {
	title    string
	packages []string
}{
	Services:  {"layer of storage servers and registries", servicePackages},
	Ansible:   {"layer of Ansible servers", ansiblePackages},
	Downloads: {title: "layer of kubespray's downloads"},
}

// further returns the further layers of a machine, the uppermost first. If its image's name or its own speaks of storage,
// a registry or services, it has the services, if one speaks of Ansible, that, if one is offline, Ansible and kubespray's
// downloads; all others are the plain node: the lab's Glance takes any name.
func further(names ...string) (found []Layer) {
	all := strings.ToLower(strings.Join(names, " "))
	speaksOf := func(word string) bool { return strings.Contains(all, word) }
	if speaksOf("offline") {
		found = append(found, Downloads)
	}
	if speaksOf("ansible") || speaksOf("offline") {
		found = append(found, Ansible)
	}
	if slices.ContainsFunc([]string{"storage", "registry", "services"}, speaksOf) {
		found = append(found, Services)
	}
	return found
}

// Layers lists the lower directories of a machine with these names, the uppermost first.
func (i Image) Layers(names ...string) (dirs []string) {
	for _, layer := range further(names...) {
		dirs = append(dirs, i.dirOf(layer))
	}
	return append(dirs, i.Node, i.Base)
}

// EnsureLayers builds the layers of a machine with these names that are missing. The first storage server, registry or
// Ansible server of this host waits for it, about a minute.
func (i Image) EnsureLayers(ctx context.Context, names ...string) error {
	for _, layer := range further(names...) {
		if _, err := os.Stat(i.dirOf(layer)); err == nil {
			continue
		}
		opts := i.options
		opts.Layers = []Layer{layer}
		if _, err := Ensure(ctx, opts); err != nil {
			return err
		}
	}
	return nil
}

func (i Image) dirOf(layer Layer) string {
	switch layer {
	case Downloads:
		return i.Downloads
	case Ansible:
		return i.Ansible
	default:
		return i.Services
	}
}
