package runner

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// Upload is the input of the runner's start. It is a tar archive, which carries any bytes in one stream, with
// checksums, because a cut connection looks like the end of a file.
func Upload(script string, stdin []byte) ([]byte, error) {
	sums := fmt.Sprintf("%x  script\n%x  stdin\n", sha256.Sum256([]byte(script)), sha256.Sum256(stdin))
	var buf bytes.Buffer
	archive := tar.NewWriter(&buf)
	for _, f := range []struct {
		name    string
		content []byte
	}{{"script", []byte(script)}, {"stdin", stdin}, {"sums", []byte(sums)}} {
		if err := archive.WriteHeader(&tar.Header{Name: f.name, Mode: 0o600, Size: int64(len(f.content))}); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return buf.Bytes(), nil
}

// ReadUpload is the inverse of Upload.
func ReadUpload(r io.Reader) (script string, stdin []byte, err error) {
	files := map[string][]byte{}
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", nil, fmt.Errorf("unpack: %w", err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			return "", nil, fmt.Errorf("unpack %s: %w", header.Name, err)
		}
	}
	script, stdin = string(files["script"]), files["stdin"]
	want := fmt.Sprintf("%x  script\n%x  stdin\n", sha256.Sum256([]byte(script)), sha256.Sum256(stdin))
	if string(files["sums"]) != want {
		return "", nil, errors.New("the upload was cut short")
	}
	return script, stdin, nil
}
