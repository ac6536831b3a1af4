package kubernetes

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
)

// pack compresses a document for a Secret.
func pack(doc []byte) []byte {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, _ = w.Write(doc) // into memory
	_ = w.Close()
	return packed.Bytes()
}

// unpack reads a packed document of at most so many bytes: whoever may write Secrets in the cluster may have written it,
// and a thousand bytes become a million.
func unpack(packed []byte, most int64, into any) error {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	doc, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return err
	case int64(len(doc)) > most:
		return fmt.Errorf("it is larger than the limit of %d MiB when it is unpacked", most>>20)
	}
	return json.Unmarshal(doc, into)
}
