package registry

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// param is the beginning of the paths of a registry's parameters.
const param = "$.additionalParams." + ParamsKey + "."

// CheckRequest implements driver.Binding. It checks that there is one server, and the files and the volume in the
// parameters.
func (s *Server) CheckRequest(ctx context.Context, r driver.Request, wrong params.Mistakes) error {
	servers := 0
	for _, n := range r.Capacity {
		servers += n
	}
	if servers != 1 {
		r.Found.Names("$.flavourId", "its VNF has %d servers; a registry of images has one", servers)
	}
	p := s.Params
	r.Found.Mistake(wrong.With(p.Problems())...)
	if err := checkFile(ctx, r, "image_path", p.ImagePath); err != nil {
		return err
	}
	if p.TLS != nil {
		if err := checkFile(ctx, r, "tls.certificate_path", p.TLS.CertificatePath); err != nil {
			return err
		}
	}
	if resources, ok := r.Resources(ctx); ok && p.HasVolume() {
		resources.Want(r.Found, param+"volume.volume_resource_id", p.Volume.VolumeResourceID, "a volume", hot.VolumeType)
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
func (s *Server) CheckHeal(wrong params.Mistakes) error {
	return lcm.InvalidAll("The registry cannot be healed with these parameters.", wrong.With(s.Params.Problems()))
}
