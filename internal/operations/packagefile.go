package operations

import (
	"context"
	"io"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

// largestFile limits what an activity reads from a package in one piece: a registry's image has some tens of MiB.
const largestFile = 256 << 20

// PackageFile reads a file of a package: a small file from the store, a large file from the archive.
func (r *Resolver) PackageFile(ctx context.Context, id lcm.VnfPkgID, path string) ([]byte, error) {
	data, err := r.Store.PackageFile(ctx, id, path)
	if !lcm.Is(err, lcm.KindNotFound) {
		return data, err
	}
	content, size, failure := r.Store.PackageContent(ctx, id)
	if failure != nil {
		return nil, failure
	}
	defer func() { _ = content.Close() }()
	file, failure := archive.OpenFile(content, size, path)
	if failure != nil {
		return nil, err // it names the file and the package
	}
	defer func() { _ = file.Close() }()
	data, err = io.ReadAll(io.LimitReader(file, largestFile+1))
	if err == nil && len(data) > largestFile {
		return nil, lcm.Errorf(lcm.KindInvalid, "The file %s of the VNF package has more than %d MiB: Windlass sends "+
			"no larger files to machines.", path, largestFile>>20)
	}
	return data, err
}
