// Package vnfpkg reads VNF packages: CSAR archives (SOL004) with a VNF descriptor (SOL001) and Heat templates, in the
// form of Tacker's packages. It turns them into plain types, and makes the template and the parameters of a flavour's
// Heat stack. It does no I/O except on the readers that it gets. It trusts no byte of a package: it checks sizes,
// names, aliases and references.
package vnfpkg

import (
	"crypto"
	"io"
	"iter"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Package is a valid VNF package.
type Package struct {
	Vnfd Vnfd
	// Artifacts are the files that are not images, with their SHA-256, ordered by path.
	Artifacts []lcm.PkgArtifact
	// Warnings are oddities that Windlass accepts, e.g. a file that TOSCA.meta names and the archive lacks.
	Warnings []lcm.Problem
	// Undriven are those of the Warnings that are about hooks without a driver.
	Undriven []lcm.Problem

	zip *archive
	err error
}

// Generator makes the Heat templates of a flavour whose package has none, and stores them with the flavour.
type Generator func(t *topology, f *Flavour)

// Options say how to open a package.
type Options struct {
	// Limits bound what the package may make Windlass read.
	Limits Limits
	// Trust is for packages that must or may be signed.
	Trust Trust
	// Templates makes the templates of flavours without a Base HOT; nil makes none.
	Templates Generator
}

// Open reads a CSAR. If the package cannot be used, the error is Invalid and lists every problem with its file and
// line. The reader must stay usable until the last use of Files.
func Open(r io.ReaderAt, size int64, o Options) (*Package, error) {
	files, err := openReader(r, size, o.Limits, o.Trust)
	if err != nil {
		return nil, err
	}
	p := &Package{zip: files.zip}
	if len(files.problems) == 0 { // the next steps trust the names
		if entry := files.entry(); entry != "" {
			p.Vnfd = readVnfd(readDefinitions(files, entry), o.Templates)
		}
	}
	if len(files.problems) == 0 && files.readErr == nil {
		p.Artifacts = artifacts(files, &p.Vnfd)
	}
	if files.readErr != nil {
		return nil, files.readErr
	}
	if err := files.err("the VNF package cannot be used"); err != nil {
		return nil, err
	}
	p.Warnings, p.Undriven = files.warnings, files.undriven
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
			data, err := p.zip.read(artifact.Path, maxSize)
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
func artifacts(l *packageReader, v *Vnfd) []lcm.PkgArtifact {
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
	for _, name := range l.zip.names {
		if images[name] || strings.HasPrefix(name, "Files/images/") {
			continue
		}
		sum, err := l.digest(name, crypto.SHA256)
		if err != nil {
			l.fail(name, err)
			continue
		}
		out = append(out, lcm.PkgArtifact{
			Path: name, Size: l.zip.size(name), Algorithm: "SHA-256", Hash: sum,
		})
	}
	return out
}
