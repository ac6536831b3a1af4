package store_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestPackage_keepsEveryField(t *testing.T) {
	t.Parallel()
	s := open(t)
	want := lcm.VnfPkg{
		ID: lcm.VnfPkgID(uuid.NewString()), ProjectID: lcm.DefaultProject, OnboardingState: lcm.PkgOnboarded,
		OperationalState: lcm.PkgEnabled,
		VnfdID:           "vnfd-1", Provider: "Company", ProductName: "Sample", SoftwareVersion: "1", VnfdVersion: "2",
		ChecksumAlgo: "SHA-256", Checksum: "ab", UserDefinedData: map[string]any{"k": "v", "n": 1.5},
		Vnfd: json.RawMessage(`{"id": "vnfd-1"}`), Artifacts: []lcm.PkgArtifact{{Path: "Scripts/x.sh", Size: 3}},
		Warnings: []lcm.Problem{{Path: "a", Detail: "is absent"}}, Error: lcm.Errorf(lcm.KindInvalid, "NUL \x00 is dropped"),
	}
	require.NoError(t, s.CreatePackage(in(t, lcm.DefaultProject), want))
	got, err := s.Package(t.Context(), want.ID)
	require.NoError(t, err)
	assert.False(t, got.Created.IsZero())
	assert.Equal(t, "UTC", got.Created.Location().String())
	want.Created, want.Updated, want.Version, want.UsageState = got.Created, got.Updated, 1, lcm.PkgNotInUse
	want.Error.Detail = "NUL  is dropped"
	assert.Equal(t, want, got)

	byVnfd, err := s.PackageByVnfd(in(t, lcm.DefaultProject), "vnfd-1")
	require.NoError(t, err)
	assert.Equal(t, got, byVnfd)
}

func TestPackage_withNothingNestedReadsBackNil(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := lcm.VnfPkg{ID: "p", OnboardingState: lcm.PkgCreated, OperationalState: lcm.PkgDisabled}
	require.NoError(t, s.CreatePackage(in(t, lcm.DefaultProject), p))
	got, err := s.Package(t.Context(), "p")
	require.NoError(t, err)
	assert.Nil(t, got.Vnfd)
	assert.Nil(t, got.Error)
	assert.Nil(t, got.UserDefinedData)
	_, err = s.PackageByVnfd(in(t, lcm.DefaultProject), "")
	requireKind(t, lcm.KindNotFound, err)
}

func TestUpdatePackage_refusesStaleVersion(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := newPackage(t, s)
	p.Version = 1
	p.ProductName = "first"
	require.NoError(t, s.UpdatePackage(t.Context(), p))
	p.ProductName = "second"
	err := s.UpdatePackage(t.Context(), p)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), "version 2")

	p.ID = "absent"
	requireKind(t, lcm.KindNotFound, s.UpdatePackage(t.Context(), p))
}

func TestPackage_onlyOneOnBoardHoldsAVnfd(t *testing.T) {
	t.Parallel()
	s := open(t)
	first := newPackage(t, s)
	second := lcm.VnfPkg{
		ID: "second", OnboardingState: lcm.PkgProcessing, OperationalState: lcm.PkgDisabled, VnfdID: first.VnfdID,
	}
	require.NoError(t, s.CreatePackage(in(t, lcm.DefaultProject), second))
	second.OnboardingState, second.Version = lcm.PkgOnboarded, 1
	err := s.UpdatePackage(in(t, lcm.DefaultProject), second)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), string(first.ID))
}

func TestDeletePackage_refusesWhileAnInstanceUsesIt(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	err := s.DeletePackage(t.Context(), inst.VnfPkgID)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), string(inst.ID))
	p, err := s.Package(t.Context(), inst.VnfPkgID)
	require.NoError(t, err)
	assert.Equal(t, lcm.PkgInUse, p.UsageState)

	require.NoError(t, s.DeleteInstance(t.Context(), inst.ID))
	require.NoError(t, s.DeletePackage(t.Context(), inst.VnfPkgID))
	requireKind(t, lcm.KindNotFound, s.DeletePackage(t.Context(), inst.VnfPkgID))
}

func TestPackageContent_isReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, size := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3<<20 + 17} {
		p := newPackage(t, s)
		want := noise(size)
		n, sum, err := s.SavePackageContent(t.Context(), p.ID, iotest.HalfReader(bytes.NewReader(want)))
		require.NoError(t, err)
		require.EqualValues(t, size, n)
		digest := sha256.Sum256(want)
		require.Equal(t, hex.EncodeToString(digest[:]), sum)

		content, n, err := s.PackageContent(t.Context(), p.ID)
		require.NoError(t, err)
		require.EqualValues(t, size, n)
		got, err := io.ReadAll(content)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		require.NoError(t, content.Close())
	}
}

func TestPackageContent_readsAndSeeksAsReadersDo(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := newPackage(t, s)
	want := noise(1<<20 + 300)
	_, _, err := s.SavePackageContent(t.Context(), p.ID, bytes.NewReader(want))
	require.NoError(t, err)
	content, size, err := s.PackageContent(t.Context(), p.ID)
	require.NoError(t, err)
	// This part crosses the border between two chunks. The test reads byte by byte, so the whole content would take
	// seconds.
	require.NoError(t, iotest.TestReader(io.NewSectionReader(content, size-600, 600), want[size-600:]))
	_, err = content.Seek(-600, io.SeekEnd)
	require.NoError(t, err)
	got, err := io.ReadAll(content)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want[size-600:], got))
	_, err = content.ReadAt(make([]byte, 1), size)
	require.ErrorIs(t, err, io.EOF)
}

func TestPackageContent_servesConcurrentReaders(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := newPackage(t, s)
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		require.NoError(t, err)
		_, err = f.Write(noise(700_000))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	_, _, err := s.SavePackageContent(t.Context(), p.ID, &archive)
	require.NoError(t, err)
	content, size, err := s.PackageContent(t.Context(), p.ID)
	require.NoError(t, err)
	r, err := zip.NewReader(content, size)
	require.NoError(t, err)
	var group errgroup.Group
	for _, f := range r.File {
		group.Go(func() error {
			rc, err := f.Open()
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, rc) // checks the CRC
			return err
		})
	}
	require.NoError(t, group.Wait())
}

func TestSavePackageContent_keepsTheFormerArchiveWhenTheUploadBreaks(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := newPackage(t, s)
	_, _, err := s.SavePackageContent(t.Context(), p.ID, bytes.NewReader([]byte("former")))
	require.NoError(t, err)

	broken := io.MultiReader(bytes.NewReader(noise(2<<20)), iotest.ErrReader(errors.New("client went away")))
	_, _, err = s.SavePackageContent(t.Context(), p.ID, broken)
	requireKind(t, lcm.KindInvalid, err)
	assert.ErrorContains(t, err, "client went away")

	content, _, err := s.PackageContent(t.Context(), p.ID)
	require.NoError(t, err)
	got, err := io.ReadAll(content)
	require.NoError(t, err)
	assert.Equal(t, "former", string(got))

	_, _, err = s.SavePackageContent(t.Context(), p.ID, bytes.NewReader([]byte("later")))
	require.NoError(t, err)
	require.NoError(t, content.Close())
	_, err = content.ReadAt(make([]byte, 1), 0)
	requireKind(t, lcm.KindConflict, err)
}

func TestPackageContent_ofAbsentPackage(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, _, err := s.SavePackageContent(t.Context(), "absent", bytes.NewReader(nil))
	requireKind(t, lcm.KindNotFound, err)
	_, _, err = s.PackageContent(t.Context(), newPackage(t, s).ID)
	requireKind(t, lcm.KindNotFound, err)
}

func TestPackageFiles(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := newPackage(t, s)
	save := func(files map[string][]byte) error {
		return s.SavePackageFiles(t.Context(), p.ID, func(yield func(lcm.PkgArtifact, []byte) bool) {
			for path, data := range maps.All(files) {
				if !yield(lcm.PkgArtifact{Path: path}, data) {
					return
				}
			}
		})
	}
	require.NoError(t, save(map[string][]byte{"BaseHOT/top.yaml": []byte("heat"), "empty": nil}))
	require.NoError(t, save(map[string][]byte{"BaseHOT/top.yaml": []byte("newer"), "empty": nil}))
	got, err := s.PackageFile(t.Context(), p.ID, "BaseHOT/top.yaml")
	require.NoError(t, err)
	assert.Equal(t, "newer", string(got))
	got, err = s.PackageFile(t.Context(), p.ID, "empty")
	require.NoError(t, err)
	assert.Empty(t, got)

	_, err = s.PackageFile(t.Context(), p.ID, "absent")
	requireKind(t, lcm.KindNotFound, err)
	requireKind(t, lcm.KindInvalid, save(map[string][]byte{"big": make([]byte, 16<<20+1)}))
	p.ID = "absent"
	requireKind(t, lcm.KindNotFound, save(map[string][]byte{"x": nil}))
}

func noise(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}
