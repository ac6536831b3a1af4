// Package vnfpkgtest makes VNF packages for tests, of the packages below vnfpkg and of what reads them: a minimal
// package that a test changes in one place, and the samples of the repository.
package vnfpkgtest

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/templates"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// Files are the files of a package, by name. Its methods change a copy.
type Files map[string]string

// Replace replaces a text in one file. It fails the test if the text is not there.
func (f Files) Replace(t testing.TB, name, from, to string) Files {
	t.Helper()
	require.Contains(t, f[name], from)
	return f.With(name, strings.Replace(f[name], from, to, 1))
}

// ReplaceVnfd replaces a text in the definition, as Replace does.
func (f Files) ReplaceVnfd(t testing.TB, from, to string) Files {
	t.Helper()
	return f.Replace(t, TopVnfd, from, to)
}

// ReplaceHOT replaces a text in the top template, as Replace does.
func (f Files) ReplaceHOT(t testing.TB, from, to string) Files {
	t.Helper()
	return f.Replace(t, SmallHOT, from, to)
}

// ReplaceNested replaces a text in the nested template, as Replace does.
func (f Files) ReplaceNested(t testing.TB, from, to string) Files {
	t.Helper()
	return f.Replace(t, NestedHOT, from, to)
}

// With adds a file, or replaces it.
func (f Files) With(name, text string) Files {
	out := maps.Clone(f)
	out[name] = text
	return out
}

// Without leaves a file out.
func (f Files) Without(name string) Files {
	out := maps.Clone(f)
	delete(out, name)
	return out
}

// WithoutHOT leaves the Base HOT out.
func (f Files) WithoutHOT() Files { return f.Without(SmallHOT).Without(NestedHOT) }

// Zip returns the archive of the files.
func (f Files) Zip() []byte {
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		w, err := zw.Create(name)
		if err == nil {
			_, err = w.Write([]byte(f[name]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := zw.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// OpenBytes opens an archive as an upload of it is opened, and makes templates for flavours that have none.
func OpenBytes(data []byte, limits archive.Limits) (*vnfpkg.Package, error) {
	return vnfpkg.Open(bytes.NewReader(data), int64(len(data)),
		vnfpkg.Options{Limits: limits, Templates: templates.Make})
}

// Open opens the package, which must be valid.
func (f Files) Open(t testing.TB) *vnfpkg.Package {
	t.Helper()
	p, err := f.TryOpen()
	require.NoError(t, err)
	return p
}

// TryOpen opens the package, which may be invalid.
func (f Files) TryOpen() (*vnfpkg.Package, error) { return OpenBytes(f.Zip(), archive.Limits{}) }

// Read returns a file, as the store returns it to activities.
func (f Files) Read(name string) ([]byte, error) {
	data, ok := f[name]
	if !ok {
		return nil, lcm.Errorf(lcm.KindNotFound, "no file %s", name)
	}
	return []byte(data), nil
}

// Template returns a flavour and its template.
func (f Files) Template(t testing.TB, flavour string) (*descriptor.Flavour, hot.Template) {
	t.Helper()
	fl, err := f.Open(t).Vnfd.Flavour(flavour)
	require.NoError(t, err)
	template, err := hot.StackTemplate(fl, f.Read)
	require.NoError(t, err)
	return fl, template
}

// Stack makes the template and the parameters of a flavour, as an operation does.
func (f Files) Stack(t testing.TB, flavour string, req hot.Request) (hot.Template, map[string]any, error) {
	t.Helper()
	fl, template := f.Template(t, flavour)
	params, err := hot.Parameters(fl, template, req)
	return template, params, err
}

// FilesOf returns the files of a package that was opened, except images.
func FilesOf(p *vnfpkg.Package) Files {
	out := Files{}
	for artifact, data := range p.Files(1 << 20) {
		out[artifact.Path] = string(data)
	}
	return out
}
