package lcm

import (
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"
)

// StorageServerParams is k8s_cluster_installation_param.storage_server, as Tacker's Kubernetes driver takes it: a VM whose
// Cinder volumes the nodes of the cluster mount over NFS. nic_cp_name and private_key are additions; the first is
// ssh_cp_name when it is absent.
type StorageServerParams struct {
	// SSHCpName is the Heat port or floating IP that gives the address for SSH.
	SSHCpName string `json:"ssh_cp_name"`
	// NicCpName is the Heat port whose fixed IP is the server's own address.
	NicCpName  string               `json:"nic_cp_name,omitempty"`
	Username   string               `json:"username"`
	Password   Secret               `json:"password,omitzero"`
	PrivateKey Secret               `json:"private_key,omitzero"`
	Volumes    []CinderVolumeParams `json:"cinder_volume_setup_params"`
	Exports    []NFSExportParams    `json:"nfs_server_setup_params"`
}

// CinderVolumeParams says where a volume is mounted on the storage server.
type CinderVolumeParams struct {
	// VolumeResourceID is the volume's name in the top template of the Base HOT.
	VolumeResourceID string `json:"volume_resource_id"`
	MountTo          string `json:"mount_to"`
}

// NFSExportParams is a directory that is exported to a network.
type NFSExportParams struct {
	ExportDir string `json:"export_dir"`
	// ExportTo is a network or an address.
	ExportTo string `json:"export_to"`
}

// PVRegistrationParams is a manifest of PersistentVolumes in the package.
type PVRegistrationParams struct {
	PVManifestFilePath string `json:"pv_manifest_file_path"`
	// NFSServerCp is the connection point whose address the manifest gets.
	NFSServerCp string `json:"nfs_server_cp"`
}

// KeepVolumes is the member of a heal request's additionalParams that lets a storage server that is made anew have its
// volumes, with all data, back.
const KeepVolumes = "keep_volumes"

// HealAll is the member of that name of Tacker's heal requests: true replaces storages as well, false does not.
const HealAll = "all"

func (p *ClusterParams) readStorage(o *paramReader) {
	if s := o.object("storage_server"); s != nil {
		p.StorageServer = &StorageServerParams{}
		p.StorageServer.read(s)
	}
	for _, r := range o.objects("pv_registration_params") {
		var pv PVRegistrationParams
		r.text("pv_manifest_file_path", &pv.PVManifestFilePath)
		r.text("nfs_server_cp", &pv.NFSServerCp)
		p.PersistentVolumes = append(p.PersistentVolumes, pv)
	}
	p.readStorageClasses(o)
}

func (s *StorageServerParams) read(o *paramReader) {
	o.text("ssh_cp_name", &s.SSHCpName)
	o.text("nic_cp_name", &s.NicCpName)
	o.text("username", &s.Username)
	o.secret("password", &s.Password)
	o.secret("private_key", &s.PrivateKey)
	for _, r := range o.objects("cinder_volume_setup_params") {
		var v CinderVolumeParams
		r.text("volume_resource_id", &v.VolumeResourceID)
		r.text("mount_to", &v.MountTo)
		s.Volumes = append(s.Volumes, v)
	}
	for _, r := range o.objects("nfs_server_setup_params") {
		var e NFSExportParams
		r.text("export_dir", &e.ExportDir)
		r.text("export_to", &e.ExportTo)
		s.Exports = append(s.Exports, e)
	}
}

// fillStorageDefaults derives what Tacker's guide wants to be given a second time.
func (p *ClusterParams) fillStorageDefaults() {
	defer p.fillStorageClassDefaults()
	s := p.StorageServer
	if s == nil {
		return
	}
	orText(&s.NicCpName, s.SSHCpName)
	for i := range s.Volumes {
		s.Volumes[i].MountTo = cleanDirectory(s.Volumes[i].MountTo)
	}
	for i := range s.Exports {
		s.Exports[i].ExportDir = cleanDirectory(s.Exports[i].ExportDir)
		maskCIDR(&s.Exports[i].ExportTo)
	}
}

// cleanDirectory takes slashes too many out of a path; one that climbs is left for the checks to refuse.
func cleanDirectory(dir string) string {
	if dir == "" || slices.Contains(strings.Split(dir, "/"), "..") {
		return dir
	}
	return path.Clean(dir)
}

// MountOf is the directory of the volume that holds an exported directory, "" for none.
func (s *StorageServerParams) MountOf(dir string) string {
	for _, v := range s.Volumes {
		if within(dir, v.MountTo) {
			return v.MountTo
		}
	}
	return ""
}

// Exported tells whether nodes can mount a directory: it is exported, or below one that is.
func (s *StorageServerParams) Exported(dir string) bool {
	return slices.ContainsFunc(s.Exports, func(e NFSExportParams) bool { return within(dir, e.ExportDir) })
}

// ExportDirs are the exported directories, each once, in the order of the request.
func (s *StorageServerParams) ExportDirs() (out []string) {
	for _, e := range s.Exports {
		if !slices.Contains(out, e.ExportDir) {
			out = append(out, e.ExportDir)
		}
	}
	return out
}

// within tells whether a clean path is a directory, or below it.
func within(dir, parent string) bool {
	return parent != "" && (dir == parent || strings.HasPrefix(dir, strings.TrimSuffix(parent, "/")+"/"))
}

// directoryPattern leaves out what fstab, exports and the shell have a meaning for.
var directoryPattern = regexp.MustCompile(`^/[A-Za-z0-9._/-]*[A-Za-z0-9._-]$`)

// A volume must not cover what the system needs: these directories with all below them, and others themselves.
var (
	systemTrees       = []string{"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/tmp", "/usr", "/var/lib/dpkg"}
	systemDirectories = []string{"/home", "/opt", "/var", "/var/cache", "/var/lib", "/var/lib/windlass", "/var/log", "/var/tmp"}
)

func ofTheSystem(dir string) bool {
	return slices.Contains(systemDirectories, dir) || slices.ContainsFunc(systemTrees, func(tree string) bool { return within(dir, tree) })
}

// storage checks the storage server and the registration of its volumes.
func (c *paramChecks) storage(p ClusterParams) {
	defer c.storageClasses(p)
	for i, pv := range p.PersistentVolumes {
		key := fmt.Sprintf("pv_registration_params[%d]", i)
		if pv.PVManifestFilePath == "" {
			c.add(key+".pv_manifest_file_path", "is missing: it names the manifest in the package.")
		}
		c.packagePath(key+".pv_manifest_file_path", pv.PVManifestFilePath)
		same := func(o PVRegistrationParams) bool {
			return o.PVManifestFilePath == pv.PVManifestFilePath && pv.PVManifestFilePath != ""
		}
		if slices.ContainsFunc(p.PersistentVolumes[:i], same) {
			c.add(key+".pv_manifest_file_path", "%q is there twice.", pv.PVManifestFilePath)
		}
		if pv.NFSServerCp == "" {
			c.add(key+".nfs_server_cp", "is missing: it names the port whose address the volumes get.")
		}
	}
	if p.StorageServer == nil {
		if len(p.PersistentVolumes) > 0 {
			c.add("pv_registration_params", "needs storage_server: no other NFS server is known.")
		}
		return
	}
	s := *p.StorageServer
	if s.SSHCpName == "" {
		c.add("storage_server.ssh_cp_name", "is missing: it names the port or floating IP for SSH.")
	}
	if s.Username == "" {
		c.add("storage_server.username", "is missing: it is the user for SSH.")
	}
	c.pattern("storage_server.username", s.Username, userPattern, "a Linux user name")
	if s.Password.IsZero() && s.PrivateKey.IsZero() {
		c.add("storage_server.password", "is missing: give password or private_key.")
	}
	c.volumes(s.Volumes)
	c.exports(s)
}

func (c *paramChecks) volumes(list []CinderVolumeParams) {
	if len(list) == 0 {
		c.add("storage_server.cinder_volume_setup_params", "is missing: it lists the volumes and where they are mounted.")
	}
	for i, v := range list {
		key := fmt.Sprintf("storage_server.cinder_volume_setup_params[%d]", i)
		if v.VolumeResourceID == "" {
			c.add(key+".volume_resource_id", "is missing: it names the volume in the Base HOT.")
		}
		if c.directory(key+".mount_to", v.MountTo) && ofTheSystem(v.MountTo) {
			c.add(key+".mount_to", "%q belongs to the system; take a directory of its own, such as /volume.", v.MountTo)
		}
		for j, other := range list[:i] {
			if other.VolumeResourceID == v.VolumeResourceID && v.VolumeResourceID != "" {
				c.add(key+".volume_resource_id", "%q is there twice.", v.VolumeResourceID)
			}
			if within(v.MountTo, other.MountTo) || within(other.MountTo, v.MountTo) {
				c.add(key+".mount_to", "%q and %q of cinder_volume_setup_params[%d] lie in each other.", v.MountTo, other.MountTo, j)
			}
		}
	}
}

func (c *paramChecks) exports(s StorageServerParams) {
	if len(s.Exports) == 0 {
		c.add("storage_server.nfs_server_setup_params", "is missing: it lists the directories that are exported.")
	}
	for i, e := range s.Exports {
		key := fmt.Sprintf("storage_server.nfs_server_setup_params[%d]", i)
		if c.directory(key+".export_dir", e.ExportDir) && len(s.Volumes) > 0 && s.MountOf(e.ExportDir) == "" {
			c.add(key+".export_dir", "%q is on none of the volumes: it must lie in a mount_to of cinder_volume_setup_params.", e.ExportDir)
		}
		switch _, err := netip.ParsePrefix(e.ExportTo); {
		case e.ExportTo == "":
			c.add(key+".export_to", "is missing: it is the network that the directory is exported to.")
		case err != nil && !isIPAddress(e.ExportTo):
			c.add(key+".export_to", "must be a network such as 10.10.0.0/24 or an address, not %q.", e.ExportTo)
		case slices.Contains(s.Exports[:i], e):
			c.add(key, "%q is exported to %s twice.", e.ExportDir, e.ExportTo)
		}
	}
}

func isIPAddress(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Zone() == ""
}

// directory refuses what cannot be the path of a directory; false when there is something to refuse.
func (c *paramChecks) directory(key, dir string) bool {
	why := directoryProblem(dir)
	if why != "" {
		c.add(key, "%s", why)
	}
	return why == ""
}

// directoryProblem says why dir cannot be the path of a directory, "" when it can.
func directoryProblem(dir string) string {
	switch {
	case dir == "":
		return "is missing: it is the path of a directory."
	case !strings.HasPrefix(dir, "/"):
		return fmt.Sprintf("must be an absolute path, not %q.", dir)
	case dir == "/":
		return "must not be the root directory."
	case !directoryPattern.MatchString(dir) || dir != path.Clean(dir):
		return fmt.Sprintf("must be a path of letters, digits, dots, dashes and underscores without \"..\", not %q.", dir)
	}
	return ""
}
