package scripts

import "strings"

const (
	aptLibrary       = "lib-apt"
	cloudInitLibrary = "lib-cloud-init"
	nfsLibrary       = "lib-nfs"
)

// CheckStorageServer is the preflight of a storage server. It changes nothing and reports every obstacle as a result
// "problem" (base64).
type CheckStorageServer struct{ Node, Address string }

// Name implements Script.
func (CheckStorageServer) Name() string { return "check-storage-server" }

// Render implements Script.
func (s CheckStorageServer) Render() (string, error) {
	return render(s.Name(), []param{required("NODE_NAME", s.Node), required("ADDRESS", s.Address)}, nfsLibrary)
}

// MountedVolume is a Cinder volume with its mount directory.
type MountedVolume struct{ ID, Directory string }

// SetUpVolumes mounts volumes, now and at every boot. It finds them by their Cinder ids, and makes a file system only
// on an empty volume. Result "volume", one for each: id|device|type of the file system|yes if the script made it.
type SetUpVolumes struct {
	Node    string
	Volumes []MountedVolume
	Timeout int // for each disk to appear
	LockFor int // seconds to wait for cloud-init
}

// Name implements Script.
func (SetUpVolumes) Name() string { return "set-up-volumes" }

// Render implements Script.
func (s SetUpVolumes) Render() (string, error) {
	var volumes []string
	for _, v := range s.Volumes {
		volumes = append(volumes, v.ID+"="+v.Directory)
	}
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), required("VOLUMES", strings.Join(volumes, " ")),
		number("TIMEOUT", s.Timeout), number("LOCK_FOR", s.LockFor),
	}, cloudInitLibrary)
}

// Export is a directory, with the networks and addresses that may mount it.
type Export struct {
	Directory string
	Networks  []string
}

// ExportVolumes installs an NFS server if there is none, and exports directories of mounted volumes. It removes other
// exports of earlier runs. Inputs: http_proxy, https_proxy; both optional. Result "server": kernel or ganesha.
type ExportVolumes struct {
	Node    string
	Exports []Export
	Mounts  []string // the mount directories of the volumes
	NoProxy string
	LockFor int // seconds to wait for cloud-init and for dpkg's lock
	Timeout int // for the server to start
}

// Name implements Script.
func (ExportVolumes) Name() string { return "export-volumes" }

// Render implements Script.
func (s ExportVolumes) Render() (string, error) {
	var exports []string
	for _, e := range s.Exports {
		exports = append(exports, e.Directory+"="+strings.Join(e.Networks, ","))
	}
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), required("EXPORTS", strings.Join(exports, " ")),
		required("MOUNTS", strings.Join(s.Mounts, " ")),
		optional("NO_PROXY_LIST", s.NoProxy), number("LOCK_FOR", s.LockFor), number("TIMEOUT", s.Timeout),
	}, aptLibrary, nfsLibrary)
}

// RemoteExport is an exported directory, and the address of its server.
type RemoteExport struct{ Server, Directory string }

// MountExports installs an NFS client if there is none, and verifies that this node can mount every export and write to
// it. It leaves nothing mounted.
type MountExports struct {
	Node    string
	Exports []RemoteExport
	NoProxy string
	LockFor int // seconds to wait for dpkg's lock
	Timeout int // for the server of each export to answer
}

// Name implements Script.
func (MountExports) Name() string { return "mount-exports" }

// Render implements Script.
func (s MountExports) Render() (string, error) {
	var exports []string
	for _, e := range s.Exports {
		exports = append(exports, e.Server+"="+e.Directory)
	}
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), required("EXPORTS", strings.Join(exports, " ")),
		optional("NO_PROXY_LIST", s.NoProxy), number("LOCK_FOR", s.LockFor), number("TIMEOUT", s.Timeout),
	}, aptLibrary)
}

// LookAtVolumes lists the PersistentVolumes, and the pods that use claims or NFS. Results, in base64: "volume"
// (name|uid|resourceVersion|phase|namespace/claim|the claim's uid|NFS server|path|reclaim policy|provisioner), and
// "pod" (namespace|name|phase|claim|NFS server|class), one for each volume of each pod. class is the class that the pod
// provisions, "" for other pods.
type LookAtVolumes struct{ Member }

// Name implements Script.
func (LookAtVolumes) Name() string { return "look-at-volumes" }

// Render implements Script.
func (s LookAtVolumes) Render() (string, error) {
	return render(s.Name(), s.params(60), kubeLibrary)
}

// RemoveVolumes deletes PersistentVolumes in the state that LookAtVolumes saw, and waits until they are gone. Input:
// volumes, lines of "name uid resourceVersion". It does not delete a volume that has changed since; another try can
// help.
type RemoveVolumes struct {
	Member
	Timeout int // for each to be gone
}

// Name implements Script.
func (RemoveVolumes) Name() string { return "remove-volumes" }

// Render implements Script.
func (s RemoveVolumes) Render() (string, error) {
	return render(s.Name(), s.params(s.Timeout), kubeLibrary)
}

// RegisterVolumes applies a manifest and waits until its PersistentVolumes are Available. Input: manifest.
type RegisterVolumes struct {
	Member
	Manifest string   // its path in the package, for people
	Names    []string // of its PersistentVolumes
	Timeout  int
}

// Name implements Script.
func (RegisterVolumes) Name() string { return "register-volumes" }

// Render implements Script.
func (s RegisterVolumes) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("MANIFEST", s.Manifest),
		required("NAMES", strings.Join(s.Names, " "))), kubeLibrary)
}
