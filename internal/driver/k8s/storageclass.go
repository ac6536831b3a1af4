package k8s

import (
	"fmt"
	"regexp"
)

// StorageClassParams is a StorageClass of the cluster. Each of its claims gets its own directory on the storage server.
// It is Windlass's addition to Tacker's parameters.
type StorageClassParams struct {
	Name string `json:"name" param:"required=it is the name of the StorageClass; is=StorageClass name"`
	// ExportDir is the exported directory with the directories of the claims.
	ExportDir string `json:"export_dir" param:"required=it is the path of a directory; is=directory"`
	// NFSServerCp is the connection point whose address the volumes get; default: the storage server's nic_cp_name.
	NFSServerCp string `json:"nfs_server_cp,omitempty"`
	// Image is the image of nfs-subdir-external-provisioner, as the nodes can pull it.
	Image string `json:"image" param:"required=it is the image of nfs-subdir-external-provisioner; is=image"`
	// Default makes it the class of claims without a class.
	Default bool `json:"default,omitempty"`
	// ReclaimPolicy says what happens to a volume when its claim is deleted.
	ReclaimPolicy string `json:"reclaim_policy,omitempty" param:"default=Delete; enum=Delete|Retain"`
	// ArchiveOnDelete keeps the directory of a deleted volume under another name.
	ArchiveOnDelete bool `json:"archive_on_delete" param:"default=true"`
}

// The values of StorageClassParams.ReclaimPolicy are those of Kubernetes.
const (
	ReclaimDelete = "Delete"
	ReclaimRetain = "Retain"
)

// ProvisionerOf is the name of the provisioner of a class.
func ProvisionerOf(class string) string { return "nfs.windlass/" + class }

// Settle implements params.Settler.
func (c *StorageClassParams) Settle() { c.ExportDir = cleanDirectory(c.ExportDir) }

// classPattern limits the name's length, because the names of a Deployment and of its label contain it.
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
		c.add(at+".export_dir", "%q and %q of the class %s overlap.", class.ExportDir, o.ExportDir, o.Name)
	}
}

// ClassOver is the class whose directory holds dir, or lies in dir; nil for none.
func (p Params) ClassOver(dir string) *StorageClassParams {
	for i, c := range p.StorageClasses {
		if within(dir, c.ExportDir) || within(c.ExportDir, dir) {
			return &p.StorageClasses[i]
		}
	}
	return nil
}
