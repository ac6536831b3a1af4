package kubespray

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
)

// CheckRequest implements driver.Binding.
func (c *Installer) CheckRequest(ctx context.Context, given driver.Request, wrong params.Mistakes) error {
	r := c.Checked(given, wrong)
	if r.Params.Ansible == nil {
		r.Found.Mistake(lcm.Problem{
			Path:   cluster.Param + "ansible",
			Detail: "is missing: it names the Ansible server that runs kubespray",
		})
	}
	r.Found.Mistake(useless(r)...)
	r.CheckExternalLB(ctx)
	registries := cluster.Param + lcm.RegistriesKey
	if err := cluster.CheckCertificates(ctx, registries, r.Params.PrivateRegistries, r.Package, r.Found); err != nil {
		return err
	}
	return r.CheckStorageServer(ctx)
}

// useless are parameters that only kubeadm's driver can use: kubespray installs its own pod network and packages.
func useless(r cluster.Request) (out []lcm.Problem) {
	p := r.Params
	for _, given := range []struct {
		key string
		is  bool
	}{
		{"apt_repository", p.AptRepository != nil},
		{"cni_manifest_path", p.CniManifestPath != ""},
		{"ignore_preflight_errors", len(p.IgnorePreflightErrors) > 0},
		{"kubeadm_config_path", p.KubeadmConfigPath != ""},
	} {
		if given.is {
			out = append(out, lcm.Problem{
				Path:   cluster.Param + given.key,
				Detail: "is for the driver of kubeadm: set it in kubespray's own inventory/sample/group_vars instead",
			})
		}
	}
	if p.IPv6() { // kubespray has other variables for it, which differ between its releases
		out = append(out, lcm.Problem{
			Path: cluster.Param + "master_node.pod_cidr",
			Detail: "must be an IPv4 network, as cluster_cidr: kubespray takes the networks that Windlass gives it for IPv4. " +
				"The driver of kubeadm makes clusters with IPv6",
		})
	}
	return out
}

// Check implements lifecycle.VnfDriver. Only the Ansible server knows whether kubespray's release can replace control
// planes.
func (c *Installer) Check(f lifecycle.Facts, p lcm.Plan) error {
	switch {
	case p.Operation.Scales():
		return c.keepsOdd(f, p)
	case p.Replaces():
		return c.keepsMajority(f, p)
	case p.ChangeStateTo != "":
		return c.KeepsQuorumRunning(f, p)
	default:
		return nil
	}
}
