package kubeadm

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// request is an INSTANTIATE of a cluster.
type request struct{ cluster.Request }

// CheckRequest implements driver.Driver.
func (Driver) CheckRequest(ctx context.Context, given driver.Request) error {
	r := request{cluster.Checked(given)}
	if r.Params.Ansible != nil {
		r.Found.Mistake(lcm.Problem{
			Path:   cluster.Param + "ansible",
			Detail: "is for the driver of kubespray, which the VNFD does not name: leave it out",
		})
	}
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
