package cluster

import (
	"context"
	"fmt"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/containers"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// CheckStorageServer compares the request's storage server with the package: its VM, the resources of the template, and
// the manifests of its volumes.
func (r Request) CheckStorageServer(ctx context.Context) error {
	if r.Params.StorageServer == nil {
		return nil
	}
	r.checkOneStorageServer(*r.Params.StorageServer)
	resources, ok := r.Resources(ctx)
	if !ok {
		return nil
	}
	r.checkResources(resources)
	return r.checkManifests(ctx)
}

// checkOneStorageServer checks that it is one VM, as far as the VNFD tells.
func (r Request) checkOneStorageServer(s k8s.StorageServerParams) {
	vdus := r.Flavour.VdusOf("", s.NicCpName, s.SSHCpName)
	if len(vdus) == 0 {
		return
	}
	if n := r.Capacity[vdus[0]]; n != 1 {
		r.Found.Mistake(lcm.Problem{
			Path:   Param + "storage_server",
			Detail: fmt.Sprintf("the VNF has %d servers of %s at this flavour and level; one is needed", n, vdus[0]),
		})
	}
}

// checkResources checks that the named resources are in the top template, and of the right type.
func (r Request) checkResources(resources driver.Resources) {
	wants := func(path, name, what string, types ...string) {
		resources.Want(r.Found, Param+path, name, what, types...)
	}
	const port, address = hot.PortType, hot.FloatingIPType
	p := r.Params
	s := p.StorageServer
	wants("storage_server.ssh_cp_name", s.SSHCpName, "a port or a floating IP", port, address)
	if s.NicCpName != s.SSHCpName {
		wants("storage_server.nic_cp_name", s.NicCpName, "a port", port, address)
	}
	for i, v := range s.Volumes {
		wants(fmt.Sprintf("storage_server.cinder_volume_setup_params[%d].volume_resource_id", i), v.VolumeResourceID,
			"a volume", hot.VolumeType)
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

// checkManifests checks that the manifests are in the package, and that their volumes are exported.
func (r Request) checkManifests(ctx context.Context) error {
	p := r.Params
	seen := map[string]string{}
	for i, pv := range p.PersistentVolumes {
		path, file := fmt.Sprintf(Param+"pv_registration_params[%d].pv_manifest_file_path", i), pv.PVManifestFilePath
		if file == "" || !k8s.LocalPath(file) {
			continue // reported already
		}
		if _, there := r.Package.Artifact(file); !there {
			r.Found.Names(path, "the VNF package has no file %q", file)
			continue
		}
		text, err := r.Package.Read(ctx, file)
		if err != nil {
			return err
		}
		m, err := containers.ReadPersistentVolumes(text)
		if err != nil {
			r.Found.Names(path, "the file %q %s", file, lcm.Sentence(err))
			continue
		}
		for _, v := range m.Volumes {
			if other := seen[v.Name]; other != "" {
				r.Found.Names(path, "the file %q has the PersistentVolume %s, which is in %q, too", file, v.Name, other)
			}
			seen[v.Name] = file
			if v.Path != "" && !p.StorageServer.Exported(v.Path) {
				r.Found.Names(path, "the PersistentVolume %s of the file %q is at %s, which is in none of nfs_server_setup_params",
					v.Name, file, v.Path)
			}
			if class := p.ClassOver(v.Path); class != nil && v.Path != "" {
				r.Found.Names(path, "the PersistentVolume %s of the file %q is at %s, where claims of the StorageClass %s get "+
					"their directories (%s)",
					v.Name, file, v.Path, class.Name, class.ExportDir)
			}
		}
	}
	return nil
}
