package worker

import (
	"context"
	"io"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// showRegistry tells, with the machine of a registry of images, how clusters connect to it. What was told of it before
// is still so, unless its address is another one.
func (j *job) showRegistry(info *lcm.InstantiatedVnfInfo, made activities.Outcome) {
	if !j.IsRegistryServer() {
		return
	}
	for i, v := range info.VnfcResources {
		switch {
		case made.Registry != nil:
			info.VnfcResources[i].Metadata[lcm.RegistriesKey] = []k8s.PrivateRegistry{*made.Registry}
		case j.OpOcc.Operation == lcm.OpChangeExtConn || j.Instance.Instantiated == nil:
		default:
			for _, before := range j.Instance.Instantiated.VnfcResources {
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
func (o *resolver) packageFile(ctx context.Context, id lcm.VnfPkgID, path string) ([]byte, error) {
	data, err := o.Store.PackageFile(ctx, id, path)
	if !lcm.Is(err, lcm.KindNotFound) {
		return data, err
	}
	content, size, failure := o.Store.PackageContent(ctx, id)
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
		return nil, lcm.Errorf(lcm.KindInvalid, "The file %s of the VNF package has more than %d MiB, which is the most "+
			"that is sent to a machine.", path, largestFile>>20)
	}
	return data, err
}
