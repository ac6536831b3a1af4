package scripts

import "strings"

// ProvisionerNamespace is the namespace of the storage classes' provisioners.
const ProvisionerNamespace = "windlass-storage"

// StorageClassManifest is a StorageClass with its provisioner, nfs-subdir-external-provisioner, which makes a directory
// for each claim. Probe renders the objects of a test: another class of the same provisioner, which leaves nothing
// behind, and a claim.
type StorageClassManifest struct {
	Class       string
	Provisioner string // the provisioner's name in the volumes
	Image       string
	Server      string // address of the NFS server
	Directory   string // the exported directory
	Default     bool
	Reclaim     string // Delete or Retain
	Archive     bool   // keeps the directories of deleted volumes
}

// Namespace is the provisioner's namespace.
func (StorageClassManifest) Namespace() string { return ProvisionerNamespace }

// Deployment is the name of the provisioner's Deployment.
func (m StorageClassManifest) Deployment() string { return deploymentOf(m.Class) }

// ProbeName is the name of the probe's class and claim.
func (m StorageClassManifest) ProbeName() string { return "windlass-probe-" + m.Class }

func deploymentOf(class string) string { return "nfs-" + class }

// Render gives the manifest.
func (m StorageClassManifest) Render() (string, error) { return config("storage-class.yaml", m) }

// Probe renders the objects that test the class.
func (m StorageClassManifest) Probe() (string, error) { return config("storage-probe.yaml", m) }

// SetUpStorageClass applies the manifest of a class, waits until its provisioner is available, and tests it: the
// provisioner must make and delete a volume. Inputs: manifest, probe.
type SetUpStorageClass struct {
	Member
	StorageClassManifest
	Timeout int // for the provisioner, and then for the volume
}

// Name implements Script.
func (SetUpStorageClass) Name() string { return "set-up-storage-class" }

// Render implements Script.
func (s SetUpStorageClass) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("NAMESPACE", ProvisionerNamespace),
		required("CLASS", s.Class),
		required("DEPLOYMENT", s.Deployment()), required("PROBE", s.ProbeName())), kubeLibrary)
}

// ScaleProvisioners stops the provisioners of classes and waits until they are gone, or starts them again without a
// wait. It ignores a provisioner that is not there.
type ScaleProvisioners struct {
	Member
	Classes []string
	Stop    bool
	Timeout int // for each to be gone
}

// Name implements Script.
func (ScaleProvisioners) Name() string { return "scale-provisioners" }

// Render implements Script.
func (s ScaleProvisioners) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("NAMESPACE", ProvisionerNamespace),
		required("CLASSES", strings.Join(s.Classes, " ")), flag("STOP", s.Stop)), kubeLibrary)
}

// MoveVolumes gives a class's volumes with another address the new address. Each volume keeps its name and its claim.
// The provisioner must not run meanwhile.
type MoveVolumes struct {
	Member
	Class, Provisioner string
	Server             string
	Timeout            int // for each volume to be gone, and to be there again
}

// Name implements Script.
func (MoveVolumes) Name() string { return "move-volumes" }

// Render implements Script.
func (s MoveVolumes) Render() (string, error) {
	return render(s.Name(), append(s.params(s.Timeout), required("NAMESPACE", ProvisionerNamespace),
		required("CLASS", s.Class),
		required("PROVISIONER", s.Provisioner), required("SERVER", s.Server)), kubeLibrary)
}
