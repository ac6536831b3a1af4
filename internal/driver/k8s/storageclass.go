package k8s

import (
	"fmt"
	"regexp"
)

// StorageClassParams is a StorageClass of the cluster: each claim of it gets a directory of its own on the storage
// server. It is Windlass's addition to Tacker's parameters.
type StorageClassParams struct {
	Name string `json:"name" param:"required=it is the name of the StorageClass; is=StorageClass name"`
	// ExportDir is the exported directory in which those of the claims are made.
	ExportDir string `json:"export_dir" param:"required=it is the path of a directory; is=directory"`
	// NFSServerCp is the connection point whose address the volumes get; default: the storage server's nic_cp_name.
	NFSServerCp string `json:"nfs_server_cp,omitempty"`
	// Image is that of nfs-subdir-external-provisioner, as the nodes can pull it.
	Image string `json:"image" param:"required=it is the image of nfs-subdir-external-provisioner; is=image"`
	// Default makes it the class of claims that name none.
	Default bool `json:"default,omitempty"`
	// ReclaimPolicy is what becomes of a volume whose claim is deleted.
	ReclaimPolicy string `json:"reclaim_policy,omitempty" param:"default=Delete; enum=Delete|Retain"`
	// ArchiveOnDelete keeps the directory of a volume that is deleted, under another name.
	ArchiveOnDelete bool `json:"archive_on_delete" param:"default=true"`
}

// The values of StorageClassParams.ReclaimPolicy are those of Kubernetes.
const (
	ReclaimDelete = "Delete"
	ReclaimRetain = "Retain"
)

// ProvisionerOf is the name under which the volumes of a class have their provisioner.
func ProvisionerOf(class string) string { return "nfs.windlass/" + class }

// Settle implements params.Settler.
func (c *StorageClassParams) Settle() { c.ExportDir = cleanDirectory(c.ExportDir) }

// classPattern leaves room for what the name is part of: the names of a Deployment, and of the label with it.
var classPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// storageClasses checks the classes against one another, and against what the storage server exports.
func (c *clusterChecks) storageClasses(p Params) {
	for i, class := range p.StorageClasses {
		at := fmt.Sprintf("storage_class_params[%d]", i)
		for _, o := range p.StorageClasses[:i] {
			c.twoClasses(at, class, o)
		}
		s := p.StorageServer
		if len(s.Exports) > 0 && directoryProblem(class.ExportDir) == "" && !s.Exported(class.ExportDir) {
			c.add(at+".export_dir", "%q is in none of nfs_server_setup_params.", class.ExportDir)
		}
	}
}

func (c *clusterChecks) twoClasses(at string, class, o StorageClassParams) {
	if o.Name == class.Name && class.Name != "" {
		c.add(at+".name", "%q is there twice.", class.Name)
	}
	if o.Default && class.Default {
		c.add(at+".default", "another class is the default already; a cluster has one.")
	}
	if o.ExportDir != class.ExportDir && (within(class.ExportDir, o.ExportDir) || within(o.ExportDir, class.ExportDir)) {
		c.add(at+".export_dir", "%q and %q of the class %s lie in each other.", class.ExportDir, o.ExportDir, o.Name)
	}
}

// ClassOver is the class whose directory holds, or lies in, a directory; nil for none.
func (p Params) ClassOver(dir string) *StorageClassParams {
	for i, c := range p.StorageClasses {
		if within(dir, c.ExportDir) || within(c.ExportDir, dir) {
			return &p.StorageClasses[i]
		}
	}
	return nil
}
