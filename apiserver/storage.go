package apiserver

import (
	"context"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// clusterParam begins the paths of the cluster's parameters.
const clusterParam = "$.additionalParams." + lcm.ClusterParamsKey + "."

// volumeType is that of a Cinder volume in a template.
const volumeType = "OS::Cinder::Volume"

// checkStorageServer checks what the request says of a storage server against the package: its VM, the resources of the
// template, and the manifests of its volumes.
func (a *lcmAPI) checkStorageServer(ctx context.Context, f *vnfpkg.Flavour, req lcm.InstantiateRequest, pkg lcm.VnfPkg, found *findings) error {
	if !f.MakesCluster() {
		return nil
	}
	params, _ := lcm.ParseClusterParams(req.AdditionalParams) // its mistakes are reported already
	if params.StorageServer == nil {
		return nil
	}
	checkOneStorageServer(f, req, *params.StorageServer, found)
	read := func(path string) ([]byte, error) { return a.Store.PackageFile(ctx, pkg.ID, path) }
	resources, ok := topResources(f, read)
	if !ok {
		return nil
	}
	checkResources(params, resources, found)
	return checkManifests(params, pkg, read, found)
}

// topResources are the types of the resources in the top template, by their names; false when they cannot be read,
// which is told when the stack is checked.
func topResources(f *vnfpkg.Flavour, read func(path string) ([]byte, error)) (types map[string]string, ok bool) {
	template, err := vnfpkg.StackTemplate(f, read)
	if err == nil {
		types, err = template.Resources()
	}
	return types, err == nil
}

// checkResource wants a resource to be in the top template, and of one of these types.
func checkResource(resources map[string]string, path, name, what string, types []string, found *findings) {
	switch is := resources[name]; {
	case name == "": // reported already
	case is == "":
		found.names(path, "the Base HOT has no resource %q at its top", name)
	case !slices.Contains(types, is):
		found.names(path, "the resource %q of the Base HOT is a %s; %s is needed", name, is, what)
	}
}

// checkOneStorageServer wants one VM, as far as the VNFD tells.
func checkOneStorageServer(f *vnfpkg.Flavour, req lcm.InstantiateRequest, s lcm.StorageServerParams, found *findings) {
	vdus := f.VdusOf("", s.NicCpName, s.SSHCpName)
	capacity, err := f.Capacity(req.InstantiationLevelID)
	if err != nil || len(vdus) == 0 {
		return
	}
	if n := capacity[vdus[0]]; n != 1 {
		found.mistake(lcm.Problem{Path: clusterParam + "storage_server", Detail: fmt.Sprintf("the VNF has %d VMs of %s at this flavour and level; one is needed", n, vdus[0])})
	}
}

// checkResources wants what is named to be in the top template, and of the right kind.
func checkResources(p lcm.ClusterParams, resources map[string]string, found *findings) {
	wants := func(path, name, what string, types ...string) {
		checkResource(resources, clusterParam+path, name, what, types, found)
	}
	const port, address = "OS::Neutron::Port", "OS::Neutron::FloatingIP"
	s := p.StorageServer
	wants("storage_server.ssh_cp_name", s.SSHCpName, "a port or a floating IP", port, address)
	if s.NicCpName != s.SSHCpName {
		wants("storage_server.nic_cp_name", s.NicCpName, "a port", port, address)
	}
	for i, v := range s.Volumes {
		wants(fmt.Sprintf("storage_server.cinder_volume_setup_params[%d].volume_resource_id", i), v.VolumeResourceID, "a volume", volumeType)
	}
	for i, pv := range p.PersistentVolumes {
		wants(fmt.Sprintf("pv_registration_params[%d].nfs_server_cp", i), pv.NFSServerCp, "a port", port, address)
	}
	for i, class := range p.StorageClasses {
		if class.NFSServerCp != s.NicCpName {
			wants(fmt.Sprintf("storage_class_params[%d].nfs_server_cp", i), class.NFSServerCp, "a port", port, address)
		}
	}
}

// checkManifests wants the manifests in the package, and their volumes to be what is exported.
func checkManifests(p lcm.ClusterParams, pkg lcm.VnfPkg, read func(string) ([]byte, error), found *findings) error {
	seen := map[string]string{}
	for i, pv := range p.PersistentVolumes {
		path, file := fmt.Sprintf(clusterParam+"pv_registration_params[%d].pv_manifest_file_path", i), pv.PVManifestFilePath
		if file == "" || !lcm.LocalPath(file) {
			continue // reported already
		}
		if !slices.ContainsFunc(pkg.Artifacts, func(a lcm.PkgArtifact) bool { return a.Path == file }) {
			found.names(path, "the VNF package has no file %q", file)
			continue
		}
		text, err := read(file)
		if err != nil {
			return err
		}
		m, err := vnfpkg.ReadPersistentVolumes(text)
		if err != nil {
			found.names(path, "the file %q %s", file, sentence(err))
			continue
		}
		for _, v := range m.Volumes {
			if other := seen[v.Name]; other != "" {
				found.names(path, "the file %q has the PersistentVolume %s, which is in %q, too", file, v.Name, other)
			}
			seen[v.Name] = file
			if v.Path != "" && !p.StorageServer.Exported(v.Path) {
				found.names(path, "the PersistentVolume %s of the file %q is at %s, which is in none of nfs_server_setup_params", v.Name, file, v.Path)
			}
			if class := p.ClassOver(v.Path); class != nil && v.Path != "" {
				found.names(path, "the PersistentVolume %s of the file %q is at %s, where claims of the StorageClass %s get their directories (%s)",
					v.Name, file, v.Path, class.Name, class.ExportDir)
			}
		}
	}
	return nil
}
