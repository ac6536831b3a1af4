package apiserver

import (
	"context"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// kubeadmConfigKey is the parameter that names a file with further configuration of kubeadm.
const kubeadmConfigKey = "kubeadm_config_path"

// checkClusterFiles wants the files that the cluster's parameters name to be in the package, and kubeadm's to fit.
// Those of registries and volumes are checked with these.
func (a *lcmAPI) checkClusterFiles(
	ctx context.Context, f *vnfpkg.Flavour, req lcm.InstantiateRequest, pkg lcm.VnfPkg, found *findings,
) error {
	if !f.MakesCluster() {
		return nil
	}
	params, _ := lcm.ParseClusterParams(req.AdditionalParams) // its mistakes are reported already
	files := map[string]string{"cni_manifest_path": params.CniManifestPath, kubeadmConfigKey: params.KubeadmConfigPath}
	if params.AptRepository != nil {
		files["apt_repository.key_path"] = params.AptRepository.KeyPath
	}
	for _, key := range slices.Sorted(maps.Keys(files)) {
		path := files[key]
		if path == "" || !lcm.LocalPath(path) {
			continue // reported already
		}
		i := slices.IndexFunc(pkg.Artifacts, func(a lcm.PkgArtifact) bool { return a.Path == path })
		if i < 0 {
			found.names(clusterParam+key, "the VNF package has no file %q", path)
			continue
		}
		if key == kubeadmConfigKey {
			if err := a.checkKubeadmConfig(ctx, pkg.ID, pkg.Artifacts[i], found); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkKubeadmConfig wants the file to be what can be added to kubeadm's configuration: with any other the operation
// would fail when the servers are there.
func (a *lcmAPI) checkKubeadmConfig(ctx context.Context, id lcm.VnfPkgID, file lcm.PkgArtifact, found *findings) error {
	const at = clusterParam + kubeadmConfigKey
	if file.Size > scripts.MaxExtra { // the store does not keep files of any size
		found.names(at, "the file %q of the VNF package is larger than the %d bytes allowed", file.Path, scripts.MaxExtra)
		return nil
	}
	text, err := a.Store.PackageFile(ctx, id, file.Path)
	if err != nil {
		return err
	}
	if err := scripts.CheckExtra(text); err != nil {
		found.names(at, "the file %q of the VNF package does not fit: %s", file.Path, err)
	}
	return nil
}
