package worker

import (
	"context"
	"io"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// isRegistryServer reports whether Windlass's own driver makes a registry of images of the VNF's machine.
func (j *job) isRegistryServer() bool {
	if j.flavour == nil {
		return false
	}
	driver, ok := j.flavour.Driver("instantiate_end")
	return ok && driver == vnfpkg.DriverPrivateRegistry
}

// access is how the VNF's machines are reached and how patient one is with them: the parameters of a cluster or, in the same
// form, those of a registry of images, which are returned, too.
func (j *job) access() (lcm.ClusterParams, *lcm.RegistryServerParams, error) {
	if !j.isRegistryServer() {
		params, err := lcm.ParseClusterParams(j.request.AdditionalParams)
		return params, nil, err
	}
	server, err := lcm.ParseRegistryServerParams(j.request.AdditionalParams)
	return server.Access(), &server, err
}

// showRegistry tells, with the machine of a registry of images, how clusters connect to it. What was told of it before is still so,
// unless its address is another one.
func (j *job) showRegistry(info *lcm.InstantiatedVnfInfo, made activities.Outcome) {
	if !j.isRegistryServer() {
		return
	}
	for i, v := range info.VnfcResources {
		switch {
		case made.Registry != nil:
			info.VnfcResources[i].Metadata[lcm.RegistriesKey] = []lcm.PrivateRegistry{*made.Registry}
		case j.opOcc.Operation == lcm.OpChangeExtConn || j.inst.Instantiated == nil:
		default:
			for _, before := range j.inst.Instantiated.VnfcResources {
				if told, known := before.Metadata[lcm.RegistriesKey]; known && before.ID == v.ID {
					info.VnfcResources[i].Metadata[lcm.RegistriesKey] = told
				}
			}
		}
	}
}

// largestFile is what an activity may read of a package in one piece: an image of a registry has some tens of MiB.
const largestFile = 256 << 20

// packageFile reads a file of a package: a small one from where those are kept, a large one from the archive.
func (o *operations) packageFile(ctx context.Context, id lcm.VnfPkgID, path string) ([]byte, error) {
	data, err := o.store.PackageFile(ctx, id, path)
	if !lcm.Is(err, lcm.KindNotFound) {
		return data, err
	}
	content, size, failure := o.store.PackageContent(ctx, id)
	if failure != nil {
		return nil, failure
	}
	defer func() { _ = content.Close() }()
	file, failure := vnfpkg.OpenFile(content, size, path)
	if failure != nil {
		return nil, err // it says which file of which package
	}
	defer func() { _ = file.Close() }()
	data, err = io.ReadAll(io.LimitReader(file, largestFile+1))
	if err == nil && len(data) > largestFile {
		return nil, lcm.Errorf(lcm.KindInvalid, "The file %s of the VNF package has more than %d MiB, which is the most that is sent to a machine.", path, largestFile>>20)
	}
	return data, err
}
