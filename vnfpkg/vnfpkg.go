// Package vnfpkg opens VNF packages. The packages below it read the parts: archive the CSAR, document its YAML files,
// tosca and vnfd its definitions, containers and hot what is particular to Kubernetes and to OpenStack, playbook what
// Ansible runs. Package descriptor is the result. They do no I/O except on the readers that they get, and trust no byte
// of a package: they check sizes, names, aliases and references.
package vnfpkg

import (
	"crypto"
	"io"
	"iter"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfd"
)

// Package is a valid VNF package.
type Package struct {
	Vnfd descriptor.Vnfd
	// Artifacts are the files that are not images, with their SHA-256, ordered by path.
	Artifacts []lcm.PkgArtifact
	// Warnings are oddities that Windlass accepts, e.g. a file that TOSCA.meta names and the archive lacks.
	Warnings []lcm.Problem
	// Undriven are those of the Warnings that are about hooks without a driver.
	Undriven []lcm.Problem

	zip *archive.Zip
	err error
}

// Options say how to open a package.
type Options struct {
	// Limits bound what the package may make Windlass read.
	Limits archive.Limits
	// Trust is for packages that must or may be signed.
	Trust archive.Trust
	// Templates makes the templates of flavours without a Base HOT; nil makes none.
	Templates vnfd.Generator
}

// Open reads a CSAR. If the package cannot be used, the error is Invalid and lists every problem with its file and
// line. The reader must stay usable until the last use of Files.
func Open(r io.ReaderAt, size int64, o Options) (*Package, error) {
	files, err := archive.Open(r, size, o.Limits, o.Trust)
	if err != nil {
		return nil, err
	}
	p := &Package{zip: files.Zip}
	if len(files.Problems) == 0 { // the next steps trust the names
		if entry := files.Entry(); entry != "" {
			p.Vnfd = vnfd.Read(tosca.Read(files, entry), o.Templates)
		}
	}
	if len(files.Problems) == 0 && files.ReadErr == nil {
		p.Artifacts = artifacts(files, &p.Vnfd)
	}
	if files.ReadErr != nil {
		return nil, files.ReadErr
	}
	if err := files.Err("the VNF package cannot be used"); err != nil {
		return nil, err
	}
	p.Warnings, p.Undriven = files.Warnings, files.Undriven
	return p, nil
}

// Files yields the files that activities need, with their contents: all artifacts of at most maxSize
// bytes. It stops early when the package can no longer be read; Err tells.
func (p *Package) Files(maxSize int64) iter.Seq2[lcm.PkgArtifact, []byte] {
	return func(yield func(lcm.PkgArtifact, []byte) bool) {
		for _, artifact := range p.Artifacts {
			if artifact.Size > maxSize {
				continue
			}
			data, err := p.zip.Read(artifact.Path, maxSize)
			if err != nil {
				p.err = err
				return
			}
			if !yield(artifact, data) {
				return
			}
		}
	}
}

// Err is why the last Files stopped early, nil when it did not.
func (p *Package) Err() error { return p.err }

// artifacts digests every file that is not an image.
func artifacts(l *archive.Reader, v *descriptor.Vnfd) []lcm.PkgArtifact {
	images := map[string]bool{}
	for _, f := range v.Flavours {
		for _, vdu := range f.Vdus {
			if vdu.Image != nil {
				images[vdu.Image.File] = true
			}
			for _, image := range vdu.ContainerImages() {
				images[image.File] = true
			}
		}
		for _, s := range f.Storages {
			if s.Image != nil {
				images[s.Image.File] = true
			}
		}
	}
	var out []lcm.PkgArtifact
	for _, name := range l.Zip.Names {
		if images[name] || strings.HasPrefix(name, "Files/images/") {
			continue
		}
		sum, err := l.Digest(name, crypto.SHA256)
		if err != nil {
			l.Fail(name, err)
			continue
		}
		out = append(out, lcm.PkgArtifact{
			Path: name, Size: l.Zip.Size(name), Algorithm: "SHA-256", Hash: sum,
		})
	}
	return out
}
