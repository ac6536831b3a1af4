package archive_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// rawZip makes an archive with entries that a correct writer would not make.
func rawZip(t testing.TB, add func(*zip.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	add(zw)
	require.NoError(t, zw.Close())
	return b.Bytes()
}

func addEntry(t testing.TB, zw *zip.Writer, header zip.FileHeader, content string) {
	t.Helper()
	w, err := zw.CreateHeader(&header)
	require.NoError(t, err)
	_, err = io.WriteString(w, content)
	require.NoError(t, err)
}

func TestOpen_refusesNamesThatAreNoPathsInThePackage(t *testing.T) {
	for name, reason := range map[string]string{
		"../x":                     "leaves the package",
		"a/../../x":                "leaves the package",
		"/etc/passwd":              "is an absolute path",
		"C:/x":                     "is an absolute path",
		"a\\..\\x":                 "has a backslash",
		"a//x":                     `is not a clean path (no ".", no "//")`,
		"./x":                      `is not a clean path (no ".", no "//")`,
		"a\x00b":                   "has a control character",
		"a\nb":                     "has a control character",
		"\xff":                     "is not UTF-8",
		strings.Repeat("x/", 1000): "is longer than 1024 bytes",
		"":                         "is empty",
	} {
		data := rawZip(t, func(zw *zip.Writer) { addEntry(t, zw, zip.FileHeader{Name: name, NonUTF8: true}, "") })

		_, err := vnfpkgtest.OpenBytes(data, archive.Limits{})

		require.Equal(t, []string{document.Quote(name) + ": the file's name " + reason}, vnfpkgtest.Problems(t, err))
	}
}

func TestOpen_refusesEntriesThatAreNotPlainFiles(t *testing.T) {
	data := rawZip(t, func(zw *zip.Writer) {
		link := zip.FileHeader{Name: "link"}
		link.SetMode(fs.ModeSymlink | 0o777)
		addEntry(t, zw, link, "/etc/passwd")
		device := zip.FileHeader{Name: "device"}
		device.SetMode(fs.ModeDevice | 0o666)
		addEntry(t, zw, device, "")
		addEntry(t, zw, zip.FileHeader{Name: "twice"}, "1")
		addEntry(t, zw, zip.FileHeader{Name: "twice"}, "2")
		addEntry(t, zw, zip.FileHeader{Name: "twice/below"}, "3")
		_, err := zw.CreateRaw(&zip.FileHeader{Name: "secret", Flags: 1})
		require.NoError(t, err)
		_, err = zw.CreateRaw(&zip.FileHeader{Name: "bzip2", Method: 12})
		require.NoError(t, err)
	})

	_, err := vnfpkgtest.OpenBytes(data, archive.Limits{})

	require.Equal(t, []string{
		"link: is a symbolic link",
		"device: is neither a file nor a directory",
		"twice: the archive holds two files of this name",
		"secret: is encrypted",
		"bzip2: is compressed by method 12; use deflate",
		"twice: is both a file and the directory of twice/below",
	}, vnfpkgtest.Problems(t, err))
}

func TestOpen_refusesBombs(t *testing.T) {
	blanks := vnfpkgtest.Minimal().With("Files/blanks.txt", strings.Repeat(" ", 4<<20)).Zip()
	_, err := vnfpkgtest.OpenBytes(blanks, archive.Limits{})
	require.Equal(t, []string{"Files/blanks.txt: unpacks to more than 200 times its size"}, vnfpkgtest.Problems(t, err))

	_, err = vnfpkgtest.OpenBytes(vnfpkgtest.Minimal().Zip(), archive.Limits{MaxTotalSize: 2500})
	require.Contains(t, vnfpkgtest.Problems(t, err),
		"(archive): the files together are larger than the 2500 bytes allowed")

	_, err = vnfpkgtest.OpenBytes(vnfpkgtest.Minimal().Zip(), archive.Limits{MaxEntries: 3})
	require.Equal(t, []string{"the VNF package has more than the 3 files allowed"}, vnfpkgtest.Problems(t, err))
}

func TestOpen_refusesAFileThatIsLargerThanItSays(t *testing.T) {
	data := rawZip(t, func(zw *zip.Writer) {
		w, err := zw.CreateRaw(&zip.FileHeader{
			Name: archive.MetaFile, Method: zip.Store, CompressedSize64: 100, UncompressedSize64: 10,
		})
		require.NoError(t, err)
		_, err = io.WriteString(w, strings.Repeat("x", 100))
		require.NoError(t, err)
	})

	_, err := vnfpkgtest.OpenBytes(data, archive.Limits{})

	require.Equal(t, []string{"TOSCA-Metadata/TOSCA.meta: cannot be unpacked: it is damaged"}, vnfpkgtest.Problems(t, err))
}

func TestOpen_refusesOverlappingFiles(t *testing.T) {
	data := vnfpkgtest.Minimal().With("big", strings.Repeat("0123456789abcdef", 64)).Zip()
	// Every directory entry claims the same, largest compressed size.
	at, end := bytes.Index(data, []byte("PK\x01\x02")), bytes.LastIndex(data, []byte("PK\x05\x06"))
	for i := at; i < end; {
		binary.LittleEndian.PutUint32(data[i+20:], uint32(len(data)-100))
		next := bytes.Index(data[i+4:end], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		i += 4 + next
	}

	_, err := vnfpkgtest.OpenBytes(data, archive.Limits{})

	require.Contains(t, vnfpkgtest.Problems(t, err), "(archive): the files overlap each other in the archive")
}

func TestOpen_refusesWhatIsNoZip(t *testing.T) {
	whole := vnfpkgtest.Minimal().Zip()
	for _, data := range [][]byte{
		nil, []byte("PK"), []byte(strings.Repeat("x", 5000)), whole[:len(whole)/2],
		whole[:len(whole)-5],
	} {
		_, err := vnfpkgtest.OpenBytes(data, archive.Limits{})
		require.Equal(t, []string{"the VNF package is not a complete zip file (CSAR)"}, vnfpkgtest.Problems(t, err))
	}
}

// TestOpen_readsNoMoreOfADirectoryThanAllowed has a directory with more entries than its end record says. Listing must
// stop early.
func TestOpen_readsNoMoreOfADirectoryThanAllowed(t *testing.T) {
	data := rawZip(t, func(zw *zip.Writer) {
		for i := range 20_000 {
			addEntry(t, zw, zip.FileHeader{Name: strings.Repeat("n", 100) + string(rune('a'+i%26))}, "")
		}
	})
	end := bytes.LastIndex(data, []byte("PK\x05\x06"))
	binary.LittleEndian.PutUint16(data[end+8:], 1)
	binary.LittleEndian.PutUint16(data[end+10:], 1)

	_, err := vnfpkgtest.OpenBytes(data, archive.Limits{MaxEntries: 10})

	require.Equal(t, []string{"the VNF package has more than the 10 files allowed"}, vnfpkgtest.Problems(t, err))
}

// TestOpen_keepsTheKindOfTheReadersError checks that an error of the database is not reported as an error of the
// package.
func TestOpen_keepsTheKindOfTheReadersError(t *testing.T) {
	_, err := vnfpkg.Open(brokenReader{}, 1000, vnfpkg.Options{})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)

	data := vnfpkgtest.Minimal().Zip()
	_, err = vnfpkg.Open(&breaksAfter{bytes.NewReader(data), 6}, int64(len(data)), vnfpkg.Options{})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
}

type brokenReader struct{}

func (brokenReader) ReadAt([]byte, int64) (int, error) {
	return 0, lcm.Wrap(lcm.KindUnavailable, errors.New("connection refused"), "the database does not answer")
}

type breaksAfter struct {
	r     io.ReaderAt
	calls int
}

func (b *breaksAfter) ReadAt(p []byte, off int64) (int, error) {
	if b.calls--; b.calls < 0 {
		return brokenReader{}.ReadAt(p, off)
	}
	return b.r.ReadAt(p, off)
}

func TestOpen_boundsWhatIsKeptTogether(t *testing.T) {
	f := vnfpkgtest.Minimal().
		With("Files/a.txt", strings.Repeat("0123456789", 5000)).With("Files/b.txt", strings.Repeat("0123456789", 5000))
	_, err := vnfpkgtest.OpenBytes(f.Zip(), archive.Limits{MaxKeptSize: 90_000})
	require.Len(t, vnfpkgtest.Problems(t, err), 1)
	require.Contains(t, vnfpkgtest.Problems(t, err)[0], "are together larger than")
	_, err = vnfpkgtest.OpenBytes(f.Zip(), archive.Limits{MaxKeptSize: 90_000, MaxFileSize: 40_000})
	require.NoError(t, err, "larger files are not kept")
}

func TestOpen_takesCommentsInTheMetadata(t *testing.T) {
	f := vnfpkgtest.Minimal()
	p := f.With(archive.MetaFile, "# a licence: of somebody\n"+f[archive.MetaFile]+"# more\nETSI-Entry-Manifest: x.mf\n").
		With(
			"x.mf",
			"metadata:\n  vnf_product_name: x\n# The manifest file shall include a list\n\nSource: "+archive.MetaFile+"\n",
		).Open(t)
	require.Empty(t, p.Warnings)
}

func TestOpen_takesAPackageWithoutTOSCAMeta(t *testing.T) {
	f := vnfpkgtest.Minimal().Without(archive.MetaFile).Without(vnfpkgtest.TopVnfd).
		With("vnfd.yaml", vnfpkgtest.MinimalVnfd).
		With("vnfd.mf", "metadata:\n  vnf_product_name: x\n\nSource: vnfd.yaml\nAlgorithm: SHA-256\nHash: 00\n")

	_, err := f.TryOpen()
	require.Len(t, vnfpkgtest.Problems(t, err), 1)
	require.Contains(t, vnfpkgtest.Problems(t, err)[0], "vnfd.yaml: its SHA-256 digest is ")

	p := f.Without("vnfd.mf").Open(t)
	require.EqualValues(t, "vnfd-1", p.Vnfd.ID)
	require.Equal(t, []string{"vnfd.mf: the manifest is missing"}, vnfpkgtest.Sentences(p.Warnings))
}
