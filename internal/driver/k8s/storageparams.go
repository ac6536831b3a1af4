package k8s

import (
	"cmp"
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// StorageServerParams is k8s_cluster_installation_param.storage_server, as Tacker's Kubernetes driver takes it: a VM
// whose Cinder volumes the nodes of the cluster mount over NFS. nic_cp_name and private_key are additions. nic_cp_name
// defaults to ssh_cp_name.
type StorageServerParams struct {
	// SSHCpName is the Heat port or floating IP that gives the address for SSH.
	SSHCpName string `json:"ssh_cp_name" param:"required=it names the port or floating IP for SSH"`
	// NicCpName is the Heat port whose fixed IP is the server's own address.
	NicCpName  string     `json:"nic_cp_name,omitempty"`
	Username   string     `json:"username" param:"required=it is the user for SSH; is=user name"`
	Password   lcm.Secret `json:"password,omitzero"`
	PrivateKey lcm.Secret `json:"private_key,omitzero"`

	Volumes []CinderVolumeParams `json:"cinder_volume_setup_params" param:"required=it lists the volumes and their directories"`

	Exports []NFSExportParams `json:"nfs_server_setup_params" param:"required=it lists the exported directories"`
}

// CinderVolumeParams says where to mount a volume on the storage server.
type CinderVolumeParams struct {
	// VolumeResourceID is the volume's name in the top template.
	VolumeResourceID string `json:"volume_resource_id" param:"required=it names the volume in the template"`
	MountTo          string `json:"mount_to" param:"required=it is the path of a directory; is=mount point"`
}

// NFSExportParams is a directory that is exported to a network.
type NFSExportParams struct {
	ExportDir string `json:"export_dir" param:"required=it is the path of a directory; is=directory"`
	// ExportTo is a network or an address.
	ExportTo string `json:"export_to" param:"required=it is the network of the NFS clients; is=network or address"`
}

// PVRegistrationParams is a manifest of PersistentVolumes in the package.
type PVRegistrationParams struct {
	PVManifestFilePath string `json:"pv_manifest_file_path" param:"required=it is the path of the manifest; is=package path"`
	// NFSServerCp is the connection point whose address goes into the manifest.
	NFSServerCp string `json:"nfs_server_cp" param:"required=it names the port with the NFS server's address"`
}

// Settle implements params.Settler.
func (s *StorageServerParams) Settle() { s.NicCpName = cmp.Or(s.NicCpName, s.SSHCpName) }

// Settle implements params.Settler.
func (v *CinderVolumeParams) Settle() { v.MountTo = cleanDirectory(v.MountTo) }

// Settle implements params.Settler.
func (e *NFSExportParams) Settle() {
	e.ExportDir = cleanDirectory(e.ExportDir)
	maskCIDR(&e.ExportTo)
}

// cleanDirectory removes surplus slashes from a path. It leaves a path with ".." for the checks to refuse.
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

// Exported tells whether nodes can mount a directory: it is exported, or below an exported directory.
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

// directoryPattern excludes characters with a meaning in fstab, exports or the shell.
var directoryPattern = regexp.MustCompile(`^/[A-Za-z0-9._/-]*[A-Za-z0-9._-]$`)

// A volume must not cover directories that the system needs: some with everything below them, others only themselves.
var (
	systemTrees = []string{
		"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/root", "/run",
		"/sbin", "/sys", "/tmp", "/usr", "/var/lib/dpkg",
	}
	systemDirectories = []string{
		"/home", "/opt", "/var", "/var/cache", "/var/lib", "/var/lib/windlass", "/var/log",
		"/var/tmp",
	}
)

func ofTheSystem(dir string) bool {
	return slices.Contains(systemDirectories, dir) ||
		slices.ContainsFunc(systemTrees, func(tree string) bool { return within(dir, tree) })
}

// CheckMembers implements params.Checker.
func (s StorageServerParams) CheckMembers(wrong params.Wrong) {
	if s.Password.IsZero() && s.PrivateKey.IsZero() {
		wrong("password", "is missing: give password or private_key")
	}
	for i, v := range s.Volumes {
		at := fmt.Sprintf("cinder_volume_setup_params[%d]", i)
		for j, other := range s.Volumes[:i] {
			if other.VolumeResourceID == v.VolumeResourceID && v.VolumeResourceID != "" {
				wrong(at+".volume_resource_id", "%q is there twice", v.VolumeResourceID)
			}
			if within(v.MountTo, other.MountTo) || within(other.MountTo, v.MountTo) {
				wrong(at+".mount_to", "%q and %q of cinder_volume_setup_params[%d] overlap",
					v.MountTo, other.MountTo, j)
			}
		}
	}
	for i, e := range s.Exports {
		at := fmt.Sprintf("nfs_server_setup_params[%d]", i)
		if directoryProblem(e.ExportDir) == "" && len(s.Volumes) > 0 && s.MountOf(e.ExportDir) == "" {
			wrong(at+".export_dir", "%q is on none of the volumes: it must lie in a mount_to of cinder_volume_setup_params",
				e.ExportDir)
		}
		if e.ExportTo != "" && slices.Contains(s.Exports[:i], e) {
			wrong(at, "%q is exported to %s twice", e.ExportDir, e.ExportTo)
		}
	}
}

// volumes checks the parameters about volumes on the storage server, which must exist for them.
func (c *clusterChecks) volumes(p Params) {
	for i, pv := range p.PersistentVolumes {
		file := pv.PVManifestFilePath
		same := func(o PVRegistrationParams) bool { return o.PVManifestFilePath == file }
		if file != "" && slices.ContainsFunc(p.PersistentVolumes[:i], same) {
			c.add(fmt.Sprintf("pv_registration_params[%d].pv_manifest_file_path", i), "%q is there twice.", file)
		}
	}
	if p.StorageServer != nil {
		c.storageClasses(p)
		return
	}
	const needed = "needs storage_server: no other NFS server is known."
	if len(p.PersistentVolumes) > 0 {
		c.add("pv_registration_params", needed)
	}
	if len(p.StorageClasses) > 0 {
		c.drop("storage_class_params") // without the storage server they cannot be checked
		c.add("storage_class_params", needed)
	}
}

// IsIPAddress tells whether s is an IP address without a zone.
func IsIPAddress(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Zone() == ""
}

// mountProblem says why a volume cannot be mounted to dir, "" when it can.
func mountProblem(dir string) string {
	if why := directoryProblem(dir); why != "" || !ofTheSystem(dir) {
		return why
	}
	return fmt.Sprintf("%q belongs to the system; use a separate directory, such as /volume.", dir)
}

// exportProblem says why a directory cannot be exported to a network or an address, "" when it can.
func exportProblem(to string) string {
	if _, err := netip.ParsePrefix(to); err != nil && !IsIPAddress(to) {
		return fmt.Sprintf("must be a network such as 10.10.0.0/24 or an address, not %q.", to)
	}
	return ""
}

// directoryProblem says why dir cannot be the path of a directory, "" when it can.
func directoryProblem(dir string) string {
	switch {
	case !strings.HasPrefix(dir, "/"):
		return fmt.Sprintf("must be an absolute path, not %q.", dir)
	case dir == "/":
		return "must not be the root directory."
	case !directoryPattern.MatchString(dir) || dir != path.Clean(dir):
		return fmt.Sprintf("must be a path of letters, digits, dots, dashes and underscores without \"..\", not %q.", dir)
	}
	return ""
}
