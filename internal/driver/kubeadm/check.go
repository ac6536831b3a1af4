package kubeadm

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// request is an INSTANTIATE of a cluster.
type request struct{ cluster.Request }

// CheckRequest implements driver.Binding.
func (c *Installer) CheckRequest(ctx context.Context, given driver.Request, wrong params.Mistakes) error {
	r := request{c.Checked(given, wrong)}
	if r.Params.Ansible != nil {
		r.Found.Mistake(lcm.Problem{
			Path:   cluster.Param + "ansible",
			Detail: "is for the driver of kubespray, which the VNFD does not name: leave it out",
		})
	}
	r.checkPodNetwork()
	r.CheckExternalLB(ctx)
	if err := r.checkFiles(ctx); err != nil {
		return err
	}
	registries := cluster.Param + lcm.RegistriesKey
	if err := cluster.CheckCertificates(ctx, registries, r.Params.PrivateRegistries, r.Package, r.Found); err != nil {
		return err
	}
	return r.CheckStorageServer(ctx)
}

// checkPodNetwork refuses a cluster whose pod network nobody makes: its nodes would never become Ready.
func (r request) checkPodNetwork() {
	if r.Params.CniManifestPath != "" || r.PodNetwork {
		return
	}
	r.Found.Names(cluster.Param+"cni_manifest_path", "is missing, and Windlass has no default (kubernetes.podNetwork): "+
		"without a pod network no node becomes Ready. Name a manifest in the VNF package, or ask the operator of Windlass "+
		"to set a default, or none if the nodes' image makes the network (docs/how-to/pod-network.md)")
}
