package kubeadm

import (
	"context"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// kubeadmConfigKey is the parameter that names a file with further configuration of kubeadm.
const kubeadmConfigKey = "kubeadm_config_path"

// checkFiles checks that the files in the cluster's parameters are in the package, and that kubeadm's file fits. The
// checks of registries and volumes include their own files.
func (r request) checkFiles(ctx context.Context) error {
	files := map[string]string{"cni_manifest_path": r.Params.CniManifestPath, kubeadmConfigKey: r.Params.KubeadmConfigPath}
	if r.Params.AptRepository != nil {
		files["apt_repository.key_path"] = r.Params.AptRepository.KeyPath
	}
	for _, key := range slices.Sorted(maps.Keys(files)) {
		path := files[key]
		if path == "" || !k8s.LocalPath(path) {
			continue // reported already
		}
		file, there := r.Package.Artifact(path)
		if !there {
			r.Found.Names(cluster.Param+key, "the VNF package has no file %q", path)
			continue
		}
		if key == kubeadmConfigKey {
			if err := r.checkKubeadmConfig(ctx, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkKubeadmConfig checks that the file can be added to kubeadm's configuration. Otherwise the operation would fail
// after the servers are made.
func (r request) checkKubeadmConfig(ctx context.Context, file lcm.PkgArtifact) error {
	const at = cluster.Param + kubeadmConfigKey
	if file.Size > scripts.MaxExtra { // the store does not keep files of any size
		r.Found.Names(at, "the file %q of the VNF package is larger than the %d bytes allowed", file.Path, scripts.MaxExtra)
		return nil
	}
	text, err := r.Package.Read(ctx, file.Path)
	if err != nil {
		return err
	}
	if err := scripts.CheckExtra(text); err != nil {
		r.Found.Names(at, "the file %q of the VNF package does not fit: %s", file.Path, err)
	}
	return nil
}
