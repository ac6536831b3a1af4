package vnfpkgtest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

// Samples returns the folder of the samples, from the folder of any test in the repository.
func Samples(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		samples := filepath.Join(dir, "vnfpkg", "samples")
		if _, err := os.Stat(samples); err == nil {
			return samples
		}
	}
	t.Fatal("run this test in a checkout of Windlass")
	return ""
}

// Build builds a package of its sources, and opens it.
func Build(t testing.TB, dir string) *vnfpkg.Package {
	t.Helper()
	var csar bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &csar), dir)
	p, err := OpenBytes(csar.Bytes(), archive.Limits{})
	require.NoError(t, err, dir)
	return p
}

// Sample builds a sample, and opens it.
func Sample(t testing.TB, name string) *vnfpkg.Package {
	t.Helper()
	return Build(t, filepath.Join(Samples(t), name))
}

// SampleWithoutBaseHOT returns the files of a sample without its Base HOT.
func SampleWithoutBaseHOT(t testing.TB, name string) Files {
	t.Helper()
	out := FilesIn(t, filepath.Join(Samples(t), name))
	for file := range out {
		if strings.Contains(file, "BaseHOT") {
			delete(out, file)
		}
	}
	return out
}

// FilesIn returns the files in a folder.
func FilesIn(t testing.TB, dir string) Files {
	t.Helper()
	out := Files{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	}))
	return out
}

// SampleRequest decodes the request of a sample as the API does.
func SampleRequest(t testing.TB, name string) (lcm.InstantiateRequest, map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Samples(t), "requests", name))
	require.NoError(t, err)
	req, err := lcmtest.Read[lcm.InstantiateRequest](data)
	require.NoError(t, err)
	var additional map[string]any
	require.NoError(t, json.Unmarshal(req.AdditionalParams, &additional))
	return req, additional
}
