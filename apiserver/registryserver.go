package apiserver

import (
	"context"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// checkRegistryServer checks the parameters of a VNF that is a registry of images.
func checkRegistryServer(capacity map[string]int, req lcm.InstantiateRequest, found *findings) {
	machines := 0
	for _, n := range capacity {
		machines += n
	}
	if machines != 1 {
		found.names("$.flavourId", "its VNF has %d machines; a registry of images has one", machines)
	}
	_, problems := lcm.CheckRegistryServerParams(req.AdditionalParams)
	found.mistake(problems...)
}

// checkRegistryServerFiles wants the files that they name in the package.
func (a *lcmAPI) checkRegistryServerFiles(ctx context.Context, req lcm.InstantiateRequest, pkg lcm.VnfPkg, found *findings) error {
	params, _ := lcm.ParseRegistryServerParams(req.AdditionalParams) // its mistakes are reported already
	files := map[string]string{"image_path": params.ImagePath}
	if params.TLS != nil {
		files["tls.certificate_path"] = params.TLS.CertificatePath
	}
	for _, key := range []string{"image_path", "tls.certificate_path"} {
		path := files[key]
		if path == "" || !lcm.LocalPath(path) {
			continue
		}
		there, err := a.isInPackage(ctx, pkg, path)
		if err != nil {
			return err
		}
		if !there {
			found.names("$.additionalParams."+lcm.RegistryServerKey+"."+key, "the VNF package has no file %q", path)
		}
	}
	return nil
}

// checkRegistryVolume wants the volume of a registry in the top template.
func (a *lcmAPI) checkRegistryVolume(ctx context.Context, f *vnfpkg.Flavour, req lcm.InstantiateRequest, pkg lcm.VnfPkg, found *findings) {
	params, _ := lcm.ParseRegistryServerParams(req.AdditionalParams) // its mistakes are reported already
	if !f.MakesRegistry() || !params.HasVolume() {
		return
	}
	resources, ok := topResources(f, func(path string) ([]byte, error) { return a.Store.PackageFile(ctx, pkg.ID, path) })
	if ok {
		checkResource(resources, "$.additionalParams."+lcm.RegistryServerKey+".volume.volume_resource_id", params.Volume.VolumeResourceID, "a volume", []string{volumeType}, found)
	}
}

// checkHealedRegistry checks the parameters that a registry has once those of a heal are laid over its own (RFC 7396).
func checkHealedRegistry(stored, body []byte) error {
	req, err := lcm.ParseHeal(body)
	if err != nil || len(req.AdditionalParams) == 0 {
		return err
	}
	merged, err := jsonpatch.MergePatch(stored, req.AdditionalParams)
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	_, problems := lcm.CheckRegistryServerParams(merged)
	return lcm.InvalidAll("The registry cannot be healed with these parameters.", problems)
}

// isInPackage also finds what is no artifact of the package: images of containers are where those of VMs are.
func (a *lcmAPI) isInPackage(ctx context.Context, pkg lcm.VnfPkg, path string) (bool, error) {
	if slices.ContainsFunc(pkg.Artifacts, func(artifact lcm.PkgArtifact) bool { return artifact.Path == path }) {
		return true, nil
	}
	content, size, err := a.Store.PackageContent(ctx, pkg.ID)
	if err != nil {
		return false, err
	}
	defer content.Close()
	file, err := vnfpkg.OpenFile(content, size, path)
	if lcm.Is(err, lcm.KindNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, file.Close()
}
