package registry

import "github.com/windlass-nfv/windlass/internal/lifecycle"

// The steps of registries of images. Operations keep these ids, and other releases read them: an id never changes.
const (
	StepForgetRegistry      lifecycle.StepID = "forget-registry"
	StepInstallRegistry     lifecycle.StepID = "install-registry"
	StepMountRegistryVolume lifecycle.StepID = "mount-registry-volume"
	StepWaitForRegistry     lifecycle.StepID = "wait-for-registry"
)
