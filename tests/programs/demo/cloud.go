package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// The values of --cloud.
const (
	inLab       = "lab"
	inOpenStack = "openstack"
)

// cloud is a cloud in which the demo can run, with everything that differs between the clouds.
type cloud struct {
	environment.Cloud
	mark
	flavour string // of the VNF, unless the command line names another one
	root    bool   // the demo needs root
	acting  bool   // its machines are simulated, so there is no cluster
	opening string // what users should know before the demo starts
	openrc  string // how to log in as a user
	// leave removes what the demo has made from a cloud that stays; nil if the whole cloud is removed.
	leave func(context.Context, *demo) error
	left  string // what is left after the demo was removed
}

// lab returns the cloud in a box, which belongs to the demo.
func lab(o options) cloud {
	c := cloud{
		mark: mark{Cloud: inLab, Machines: o.machines}, flavour: "ha",
		openrc: "bin/windlass-lab openrc --state-dir " + environment.LabDir(o.Dir),
	}
	own := &environment.Lab{Machines: o.machines, Listen: o.lab}
	c.Cloud = own
	if o.machines == environment.Fake {
		c.acting, own.Args = true, acting
		c.opening = "The machines only act: they are SSH servers inside the lab that answer as nodes would.\n" +
			"No real cluster is made; the operation, its steps and the API are the real ones."
		return c
	}
	c.root = true
	c.opening = "The machines are systemd-nspawn containers: Linux of their own, with systemd, kubelet and containerd."
	c.left = "The image of its machines is kept in " + imageDir + " for the next time."
	return c
}

// openStack returns the real OpenStack of this machine, which others use as well.
func openStack() cloud {
	return cloud{
		Cloud: &environment.OpenStack{}, mark: mark{Cloud: inOpenStack}, flavour: "simple", root: true,
		opening: "The OpenStack is a real one, of Debian's packages; the nodes are virtual machines with an emulated " +
			"processor.\n" +
			"The first time, packages are installed and images built; then the cluster takes some ten minutes.",
		openrc: ". " + filepath.Join(environment.OpenStackDir(), "openrc"),
		leave:  removeVNF,
		left:   "The OpenStack runs on. To take it down, too: go tool task openstack:down",
	}
}

func cloudOf(o options, kind string) (cloud, error) {
	switch kind {
	case inLab:
		if o.machines != environment.NSpawn && o.machines != environment.Fake {
			return cloud{}, fmt.Errorf("--machines must be nspawn or fake, not %q", o.machines)
		}
		return lab(o), nil
	case inOpenStack:
		return openStack(), nil
	default:
		return cloud{}, fmt.Errorf("--cloud must be lab or openstack, not %q", kind)
	}
}
