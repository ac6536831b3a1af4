package registry

import (
	"context"
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// param is the beginning of the paths of a registry's parameters.
const param = "$.additionalParams." + lcm.RegistryServerKey + "."

// CheckRequest implements driver.Driver. It checks that there is one server, and the files and the volume in the
// parameters.
func (Driver) CheckRequest(ctx context.Context, r driver.Request) error {
	servers := 0
	for _, n := range r.Capacity {
		servers += n
	}
	if servers != 1 {
		r.Found.Names("$.flavourId", "its VNF has %d servers; a registry of images has one", servers)
	}
	params, problems := CheckParams(r.AdditionalParams)
	r.Found.Mistake(problems...)
	if err := checkFile(ctx, r, "image_path", params.ImagePath); err != nil {
		return err
	}
	if params.TLS != nil {
		if err := checkFile(ctx, r, "tls.certificate_path", params.TLS.CertificatePath); err != nil {
			return err
		}
	}
	if resources, ok := r.Resources(ctx); ok && params.HasVolume() {
		resources.Want(r.Found, param+"volume.volume_resource_id", params.Volume.VolumeResourceID, "a volume", vnfpkg.VolumeType)
	}
	return nil
}

// checkFile checks that the file in a parameter is in the package.
func checkFile(ctx context.Context, r driver.Request, key, path string) error {
	if path == "" || !k8s.LocalPath(path) { // reported already
		return nil
	}
	there, err := r.Package.Has(ctx, path)
	if err == nil && !there {
		r.Found.Names(param+key, "the VNF package has no file %q", path)
	}
	return err
}

// CheckHeal implements driver.HealChecker.
func (Driver) CheckHeal(additionalParams json.RawMessage) error {
	_, problems := CheckParams(additionalParams)
	return lcm.InvalidAll("The registry cannot be healed with these parameters.", problems)
}
