package archive

import (
	"archive/zip"
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestOpenFile_readsFromAnywhere(t *testing.T) {
	want := make([]byte, 300_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(want)
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		f, err := w.CreateHeader(&zip.FileHeader{Name: "a/b", Method: method})
		require.NoError(t, err)
		_, err = f.Write(want)
		require.NoError(t, err)
		require.NoError(t, w.Close())

		file, err := OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()), "a/b")
		require.NoError(t, err)
		end, err := file.Seek(0, io.SeekEnd)
		require.NoError(t, err)
		require.EqualValues(t, len(want), end)
		n, err := file.Read(make([]byte, 1))
		require.Zero(t, n)
		require.Equal(t, io.EOF, err)
		for _, from := range []int64{200_000, 10, 299_999, 0} { // forwards and backwards
			_, err := file.Seek(from, io.SeekStart)
			require.NoError(t, err)
			got, err := io.ReadAll(file)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want[from:], got))
		}
		_, err = file.Seek(-1, io.SeekStart)
		require.Error(t, err)
		require.NoError(t, file.Close())
		_, err = OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()), "absent")
		require.True(t, lcm.Is(err, lcm.KindNotFound))
	}
	_, err := OpenFile(bytes.NewReader([]byte("no archive")), 10, "x")
	require.True(t, lcm.Is(err, lcm.KindInvalid))
}
