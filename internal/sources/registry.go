package sources

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// chartLayer is the media type of a chart's archive (https://helm.sh/docs/topics/registries).
const chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

// fromRegistry reads a chart of an OCI registry. Its digest is checked.
func (f *Fetcher) fromRegistry(ctx context.Context, u *url.URL) ([]byte, error) {
	name := u.Host + u.Path
	last := name[strings.LastIndex(name, "/")+1:]
	if !strings.ContainsAny(last, ":@") {
		return nil, lcm.Errorf(lcm.KindInvalid, "%s names no version of the chart: add its tag, as in %[1]s:0.1.0.", u)
	}
	repository, err := remote.NewRepository(name)
	if err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "%s is no reference to a chart: %v.", u, err)
	}
	repository.Client = &auth.Client{Client: f.http, Cache: auth.NewCache()} // tokens for everybody are asked for
	found, manifest, err := f.manifest(ctx, repository, repository.Reference.Reference)
	if err != nil {
		return nil, f.registryFailed(u, err)
	}
	for _, layer := range manifest.Layers {
		if layer.MediaType != chartLayer {
			continue
		}
		if layer.Size > outbound.MaxAnswer {
			return nil, lcm.Errorf(lcm.KindInvalid, "%s is larger than the limit of %d MiB for a chart.", u,
				outbound.MaxAnswer>>20)
		}
		archive, err := content.FetchAll(ctx, repository.Blobs(), layer)
		if err != nil {
			return nil, f.registryFailed(u, err)
		}
		return archive, nil
	}
	return nil, lcm.Errorf(lcm.KindInvalid, "%s is no chart: it is a %s without an archive of a chart.", u, found.MediaType)
}

func (f *Fetcher) registryFailed(u *url.URL, err error) error {
	if errors.Is(err, errdef.ErrNotFound) {
		return refusal(u, http.StatusNotFound)
	}
	if errors.Is(err, content.ErrMismatchedDigest) || errors.Is(err, content.ErrInvalidDescriptorSize) {
		return lcm.Errorf(lcm.KindInvalid, "%s is not the file of its manifest: the digests differ.", u)
	}
	if e, ok := errors.AsType[*errcode.ErrorResponse](err); ok {
		return refusal(u, e.StatusCode)
	}
	return f.failed(u, err)
}

// manifest reads the list of a chart's parts.
func (f *Fetcher) manifest(
	ctx context.Context, repository *remote.Repository, reference string,
) (found ocispec.Descriptor, m ocispec.Manifest, err error) {
	found, body, err := repository.Manifests().FetchReference(ctx, reference)
	if err != nil {
		return found, m, err
	}
	defer body.Close()
	text, err := content.ReadAll(body, found)
	if err != nil {
		return found, m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return found, m, lcm.Wrap(lcm.KindInvalid, err, "Its manifest cannot be read.")
	}
	return found, m, nil
}
