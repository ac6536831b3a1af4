package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"time"

	"github.com/windlass-nfv/windlass/vnfpkg"
)

// The sizes of uploads: the measured one, and the baseline.
const (
	largeUpload = 2 << 30
	smallUpload = 64 << 20
)

// upload measures how much memory the API server and the worker need while a package of 2 GiB is uploaded, stored and
// checked, and how fast the upload is. The baseline is a package of 64 MiB.
func (b *bench) upload(ctx context.Context) (err error) {
	large := int64(largeUpload)
	if b.quick {
		large /= 8
	}
	bed, err := newBed(ctx, "fake")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	small, smallPeak, err := bed.uploadOf(ctx, smallUpload)
	if err != nil {
		return err
	}
	all, peak, err := bed.uploadOf(ctx, large)
	if err != nil {
		return err
	}
	b.compare("upload_peak_memory", peak, smallPeak, "MiB", "flat")
	b.compare("upload_rate", float64(large>>20)/all.Seconds(), float64(smallUpload>>20)/small.Seconds(), "MiB/s", "")
	return nil
}

// uploadOf sends a package with an artifact of this many bytes, waits until it is ONBOARDED, and deletes it. peak is in
// MiB.
func (b *bed) uploadOf(ctx context.Context, size int64) (took time.Duration, peak float64, err error) {
	say("A package of %d MiB ...", size>>20)
	header, err := b.call(ctx, http.MethodPost, "/vnfpkgm/v1/vnf_packages", map[string]any{}, nil)
	if err != nil {
		return 0, 0, err
	}
	path := "/vnfpkgm/v1/vnf_packages/" + filepath.Base(header.Get("Location"))
	var csar bytes.Buffer
	if err := vnfpkg.Build(filepath.Join(b.Root, serverPackage), &csar); err != nil {
		return 0, 0, err
	}
	stop := b.watchMemory(ctx, servers)
	began := time.Now()
	err = b.send(ctx, b.api+path+"/package_content", csar.Bytes(), size)
	if err == nil {
		err = b.onboarded(ctx, path)
	}
	took, peak = time.Since(began), stop()
	if err == nil {
		err = b.discard(ctx, path)
	}
	return took, peak, err
}

// send uploads the package with the artifact. It generates the archive while it sends, because the whole would be too
// large for memory.
func (b *bed) send(ctx context.Context, url string, csar []byte, size int64) error {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(withArtifact(w, csar, size)) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, r)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/zip")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		said, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
		return fmt.Errorf("the upload is answered %d: %s", res.StatusCode, said)
	}
	return nil
}

// withArtifact writes the package with a further file of random data, which the database cannot compress.
func withArtifact(w io.Writer, csar []byte, size int64) error {
	have, err := zip.NewReader(bytes.NewReader(csar), int64(len(csar)))
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	for _, f := range have.File {
		if err := out.Copy(f); err != nil {
			return err
		}
	}
	f, err := out.CreateHeader(&zip.FileHeader{Name: "Files/large.bin", Method: zip.Store})
	if err != nil {
		return err
	}
	if _, err := io.CopyN(f, rand.NewChaCha8([32]byte{}), size); err != nil {
		return err
	}
	return out.Close()
}

func (b *bed) onboarded(ctx context.Context, path string) error {
	for {
		var pkg struct {
			State string `json:"onboardingState"`
		}
		if _, err := b.call(ctx, http.MethodGet, path, nil, &pkg); err != nil {
			return err
		}
		switch pkg.State {
		case "ONBOARDED":
			return nil
		case "CREATED":
			return errors.New("the package was refused")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// discard disables a package and deletes it.
func (b *bed) discard(ctx context.Context, path string) error {
	if _, err := b.call(ctx, http.MethodPatch, path, map[string]any{"operationalState": "DISABLED"}, nil); err != nil {
		return err
	}
	_, err := b.call(ctx, http.MethodDelete, path, nil, nil)
	return err
}
