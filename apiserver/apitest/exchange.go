// Package apitest compares the exchanges between tests and the API with definitions: ETSI's, if they are available, and
// Windlass's own.
package apitest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// Exchange is a request and the answer to it.
type Exchange struct {
	Method string
	// Target is the path with its query.
	Target string
	// ContentType and Request are the request's body. Check validates the body only if the server has accepted it.
	ContentType string
	Request     []byte

	Status int
	Header http.Header
	// Body is empty for a stream.
	Body []byte
}

// Check describes how an exchange differs from its definition; nil means no difference.
func Check(e Exchange) error {
	if err := errors.Join(checkEtsi(e), checkOwn(e)); err != nil {
		return fmt.Errorf("%s %s answered with %d: %w", e.Method, e.Target, e.Status, err)
	}
	return nil
}

// path returns the target's path as the server reads it.
func (e Exchange) path() string {
	path, _, _ := strings.Cut(e.Target, "?")
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// picked reports whether the answer may lack mandatory attributes, because the client selected attributes by name.
func (e Exchange) picked() bool {
	_, query, _ := strings.Cut(e.Target, "?")
	return strings.Contains(query, "fields=")
}

func (e Exchange) accepted() bool {
	return e.Status < http.StatusMultipleChoices && isJSON(e.ContentType) && len(e.Request) > 0
}

func isJSON(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// Watch forwards requests to api, adds the answers to keep, and reports exchanges that differ from their definition.
func Watch(api http.Handler, keep *Examples, report func(error)) http.Handler {
	// The definitions are read now: an exchange has deadlines, and a busy machine needs longer to read them. Check
	// reports their errors.
	_, _ = etsiDefinitions()
	_, _ = ownDefinitions()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, got := &sentBody{ReadCloser: r.Body}, &recorder{ResponseWriter: w, status: http.StatusOK}
		r = r.WithContext(r.Context())
		r.Body = sent
		api.ServeHTTP(got, r)
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet // HEAD has the same answer without a body
		}
		e := Exchange{
			Method: method, Target: r.URL.RequestURI(), ContentType: r.Header.Get("Content-Type"), Request: sent.text.Bytes(),
			Status: got.status, Header: got.Header(), Body: got.plain(),
		}
		if err := Check(e); err != nil {
			report(err)
		} else {
			keep.Add(e)
		}
	})
}

// most is the limit for the recorded part of a body. Bodies that Check validates are shorter; packages are longer.
const most = 16 << 20

// sentBody records the bytes that the server reads.
type sentBody struct {
	io.ReadCloser
	text bytes.Buffer
}

func (s *sentBody) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	if s.text.Len() < most {
		s.text.Write(b[:n])
	}
	return n, err
}

// recorder records the server's answer, unless it is a stream.
type recorder struct {
	http.ResponseWriter
	status  int
	written bool
	body    bytes.Buffer
}

// Unwrap lets the server flush.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// plain is the body as clients read it. A compressed body that has no end is left as it is.
func (r *recorder) plain() []byte {
	if r.Header().Get("Content-Encoding") != "gzip" {
		return r.body.Bytes()
	}
	reader, err := gzip.NewReader(bytes.NewReader(r.body.Bytes()))
	if err != nil {
		return r.body.Bytes()
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		return r.body.Bytes()
	}
	return plain
}

func (r *recorder) WriteHeader(status int) {
	if !r.written {
		r.status, r.written = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.written = true
	if r.Header().Get("Content-Type") == "" {
		r.Header().Set("Content-Type", http.DetectContentType(b)) // as net/http does
	}
	if r.body.Len() < most && !strings.HasPrefix(r.Header().Get("Content-Type"), "text/event-stream") {
		r.body.Write(b)
	}
	return r.ResponseWriter.Write(b)
}
