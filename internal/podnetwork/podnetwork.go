// Package podnetwork makes the manifest of a cluster's pod network from the file that a VNF package or the operator's
// default names: a manifest, or the archive of a Helm chart.
package podnetwork

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// MaxSize is the largest file of a pod network, in bytes.
const MaxSize = 16 << 20

// PodCIDRName is replaced with the network of the request's pods, wherever it stands in a manifest or in the values of a
// chart: the operator's default is for clusters with different networks.
const PodCIDRName = "__POD_CIDR__"

// Files fetches files from the sources that the operator allows.
type Files interface {
	// Fetch reads a source. A source that the operator does not allow is Denied; a faulty one is Invalid.
	Fetch(ctx context.Context, s cnf.Source) ([]byte, error)
}

// Read reads the operator's default, from the worker's host or a URL. Only the nodes can read a file of their image.
//
// Errors: Invalid for a file that cannot be read, or is too large; those of files.
func Read(ctx context.Context, p k8s.PodNetwork, files Files) ([]byte, error) {
	if !p.URL() {
		return readFile("kubernetes.podNetwork", p.From)
	}
	if files == nil {
		return nil, lcm.Errorf(lcm.KindDenied, "This worker fetches nothing from %s (packages.allowedSources).", p.From)
	}
	return files.Fetch(ctx, cnf.Source{URL: p.From})
}

func readFile(setting, name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The file of %s cannot be read on the worker's host: %v.", setting, err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The file of %s cannot be read on the worker's host: %v.", setting, err)
	case len(content) > MaxSize:
		return nil, lcm.Errorf(lcm.KindInvalid, "The file of %s is larger than the limit of %d MiB.", setting, MaxSize>>20)
	}
	return content, nil
}

// Target is what a manifest may depend on: the cluster that it is for.
type Target struct {
	// PodCIDR is the network of the pods. Version is the version of Kubernetes, such as 1.34.4; "" if it is not known.
	PodCIDR, Version string
}

// Manifest makes the manifest out of a file. p has the values of a chart.
//
// Errors: Invalid for a chart that cannot be used.
func Manifest(ctx context.Context, content []byte, p k8s.PodNetwork, on Target) ([]byte, error) {
	if !isArchive(content) {
		return withPodCIDR(content, on), nil
	}
	values := []byte("{}")
	if p.ValuesFile != "" {
		var err error
		if values, err = readFile("kubernetes.podNetworkValues", p.ValuesFile); err != nil {
			return nil, err
		}
	}
	return render(ctx, content, withPodCIDR(values, on), on)
}

// isArchive recognises gzip (RFC 1952).
func isArchive(content []byte) bool { return bytes.HasPrefix(content, []byte{0x1f, 0x8b}) }

func withPodCIDR(text []byte, on Target) []byte {
	return bytes.ReplaceAll(text, []byte(PodCIDRName), []byte(on.PodCIDR))
}
