package lcm

import (
	"fmt"
	"regexp"
	"slices"
)

// StorageClassParams is a StorageClass of the cluster: each claim of it gets a directory of its own on the storage server. It is
// Windlass's addition to Tacker's parameters.
type StorageClassParams struct {
	Name string `json:"name"`
	// ExportDir is the exported directory in which those of the claims are made.
	ExportDir string `json:"export_dir"`
	// NFSServerCp is the connection point whose address the volumes get; default: the storage server's nic_cp_name.
	NFSServerCp string `json:"nfs_server_cp,omitempty"`
	// Image is that of nfs-subdir-external-provisioner, as the nodes can pull it.
	Image string `json:"image"`
	// Default makes it the class of claims that name none.
	Default bool `json:"default,omitempty"`
	// ReclaimPolicy is what becomes of a volume whose claim is deleted; default "Delete".
	ReclaimPolicy string `json:"reclaim_policy,omitempty"`
	// ArchiveOnDelete keeps the directory of a volume that is deleted, under another name; default true.
	ArchiveOnDelete bool `json:"archive_on_delete"`
}

// The values of StorageClassParams.ReclaimPolicy are those of Kubernetes.
const (
	ReclaimDelete = "Delete"
	ReclaimRetain = "Retain"
)

// ProvisionerOf is the name under which the volumes of a class have their provisioner.
func ProvisionerOf(class string) string { return "nfs.windlass/" + class }

func (p *ClusterParams) readStorageClasses(o *paramReader) {
	for _, r := range o.objects("storage_class_params") {
		c := StorageClassParams{ArchiveOnDelete: true}
		r.text("name", &c.Name)
		r.text("export_dir", &c.ExportDir)
		r.text("nfs_server_cp", &c.NFSServerCp)
		r.text("image", &c.Image)
		r.boolean("default", &c.Default)
		r.text("reclaim_policy", &c.ReclaimPolicy)
		r.boolean("archive_on_delete", &c.ArchiveOnDelete)
		p.StorageClasses = append(p.StorageClasses, c)
	}
}

func (p *ClusterParams) fillStorageClassDefaults() {
	for i := range p.StorageClasses {
		c := &p.StorageClasses[i]
		c.ExportDir = cleanDirectory(c.ExportDir)
		orText(&c.ReclaimPolicy, ReclaimDelete)
		if p.StorageServer != nil {
			orText(&c.NFSServerCp, p.StorageServer.NicCpName)
		}
	}
}

// classPattern leaves room for what the name is part of: the names of a Deployment, and of the label with it.
var classPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// storageClasses checks the classes, of which there is none without a storage server.
func (c *paramChecks) storageClasses(p ClusterParams) {
	if p.StorageServer == nil {
		if len(p.StorageClasses) > 0 {
			c.add("storage_class_params", "needs storage_server: no other NFS server is known.")
		}
		return
	}
	for i, class := range p.StorageClasses {
		key := fmt.Sprintf("storage_class_params[%d]", i)
		earlier := p.StorageClasses[:i]
		switch {
		case class.Name == "":
			c.add(key+".name", "is missing: it is the name of the StorageClass.")
		case slices.ContainsFunc(earlier, func(o StorageClassParams) bool { return o.Name == class.Name }):
			c.add(key+".name", "%q is there twice.", class.Name)
		}
		c.pattern(key+".name", class.Name, classPattern, "at most 40 small letters, digits and dashes")
		if class.Image == "" {
			c.add(key+".image", "is missing: it is the image of nfs-subdir-external-provisioner, as the nodes can pull it.")
		}
		c.pattern(key+".image", class.Image, imagePattern, "the name of an image")
		if class.ReclaimPolicy != ReclaimDelete && class.ReclaimPolicy != ReclaimRetain {
			c.add(key+".reclaim_policy", "must be %q or %q, not %q.", ReclaimDelete, ReclaimRetain, class.ReclaimPolicy)
		}
		if class.Default && slices.ContainsFunc(earlier, func(o StorageClassParams) bool { return o.Default }) {
			c.add(key+".default", "another class is the default already; a cluster has one.")
		}
		c.classDirectory(key+".export_dir", class, p)
		for _, o := range earlier {
			if o.ExportDir != class.ExportDir && (within(class.ExportDir, o.ExportDir) || within(o.ExportDir, class.ExportDir)) {
				c.add(key+".export_dir", "%q and %q of the class %s lie in each other.", class.ExportDir, o.ExportDir, o.Name)
			}
		}
	}
}

func (c *paramChecks) classDirectory(key string, class StorageClassParams, p ClusterParams) {
	if c.directory(key, class.ExportDir) && len(p.StorageServer.Exports) > 0 && !p.StorageServer.Exported(class.ExportDir) {
		c.add(key, "%q is in none of nfs_server_setup_params.", class.ExportDir)
	}
}

// ClassOver is the class whose directory holds, or lies in, a directory; nil for none.
func (p ClusterParams) ClassOver(dir string) *StorageClassParams {
	for i, c := range p.StorageClasses {
		if within(dir, c.ExportDir) || within(c.ExportDir, dir) {
			return &p.StorageClasses[i]
		}
	}
	return nil
}
