package kubespray

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// CheckRequest implements driver.Driver.
func (Driver) CheckRequest(ctx context.Context, given driver.Request) error {
	r := cluster.Checked(given)
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

// useless are parameters that only kubeadm's driver has: kubespray installs its own pod network and packages.
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
	return out
}

// Check implements lifecycle.Driver: workers come and go, control planes stay.
func (c *Cluster) Check(f lifecycle.Facts, p lcm.Plan) error {
	vdus := c.ControlPlaneVdus(f)
	switch p.Operation {
	case lcm.OpScale, lcm.OpScaleToLevel:
		if slices.ContainsFunc(p.Groups, func(g lcm.GroupChange) bool { return slices.Contains(vdus, g.VduID) }) {
			return lcm.Errorf(lcm.KindInvalid, "Control planes that kubespray has installed are not scaled: "+
				"scale the workers, or instantiate the VNF anew at another level.")
		}
	case lcm.OpHeal:
		leaves := slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return slices.Contains(vdus, l.VduID) })
		if leaves && !p.Whole {
			return lcm.Errorf(lcm.KindConflict, "A control plane that kubespray has installed cannot be healed alone. "+
				"Heal the entire VNF (without vnfcInstanceId).")
		}
	case lcm.OpOperate:
		return c.KeepsQuorumRunning(f, p)
	default:
	}
	return nil
}
