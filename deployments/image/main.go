// Command image puts a static windlass binary into a container image, without Docker: a layer with the
// binary, one with the certificates of public authorities, and a user that is not root.
package main

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// unprivileged is "nobody" in every distribution.
const unprivileged = "65534:65534"

func main() {
	binary := flag.String("binary", "", "static windlass `binary`")
	certificates := flag.String("certificates", "/etc/ssl/certs/ca-certificates.crt",
		"PEM `bundle` of certificate authorities")
	output := flag.String("o", "windlass-image.tar", "`file` to write, for docker load or skopeo")
	tag := flag.String("tag", "windlass:dev", "`name` of the image")
	flag.Parse()
	if err := build(*binary, *certificates, *output, *tag); err != nil {
		fmt.Fprintln(os.Stderr, "image: "+err.Error())
		os.Exit(1)
	}
}

func build(binary, certificates, output, tag string) error {
	ref, err := name.NewTag(tag)
	if err != nil {
		return fmt.Errorf("name the image: %w", err)
	}
	trust, err := layer(certificates, "etc/ssl/certs/ca-certificates.crt", 0o644)
	if err != nil {
		return err
	}
	program, err := layer(binary, "usr/bin/windlass", 0o755)
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, trust, program)
	if err != nil {
		return fmt.Errorf("put the layers together: %w", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return fmt.Errorf("describe the image: %w", err)
	}
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/windlass"}, User: unprivileged, Env: []string{"PATH=/usr/bin"},
	}
	image, err = mutate.ConfigFile(image, config)
	if err != nil {
		return fmt.Errorf("describe the image: %w", err)
	}
	if err := tarball.WriteToFile(output, ref, image); err != nil {
		return fmt.Errorf("write %s: %w", output, err)
	}
	return nil
}

// layer holds one file; its time is left at zero, so that the same content gives the same digest.
func layer(file, path string, mode int64) (v1.Layer, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: path, Mode: mode, Size: int64(len(content))}); err != nil {
		return nil, fmt.Errorf("pack %s: %w", file, err)
	}
	if _, err := w.Write(content); err != nil {
		return nil, fmt.Errorf("pack %s: %w", file, err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", file, err)
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(opener)
}
