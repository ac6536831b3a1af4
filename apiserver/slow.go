package apiserver

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

// Clients that send, or take, a byte a minute hold a connection and its resources as long as they like. The end of a
// context ends no read and no write; deadlines of the connection do.

const (
	// pace is the number of bytes that a client must move within its whole patience, in an upload and in taking an
	// answer: 2 KiB a second by default.
	pace = 64 << 10
	// lastPatience is how long an answer waits for the rest of a body that nobody reads.
	lastPatience = 5 * time.Second
)

// hurry bounds how long a client may take to send a body and to take an answer. It is the first middleware: refused
// clients may be slow, too.
func (s *Server) hurry(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, conn := c.Request(), http.NewResponseController(c.Response().Writer)
		setDeadline(conn.SetWriteDeadline, 0) // the former request's is still set
		c.Response().Writer = &patientWriter{ResponseWriter: c.Response().Writer, conn: conn, patience: s.Patience}
		if !hasBody(r) {
			defer setDeadline(conn.SetWriteDeadline, s.Patience)
			return next(c)
		}
		body := &patientBody{ReadCloser: r.Body, conn: conn, patience: s.Patience, left: s.Patience, renews: unbounded(c)}
		setDeadline(conn.SetReadDeadline, s.Patience)
		withBody := r.WithContext(r.Context()) // the server keeps its own to look whether the body was read
		withBody.Body = body
		c.SetRequest(withBody)
		err := next(c)
		if !body.over { // the server reads on before it sends the answer
			setDeadline(conn.SetReadDeadline, min(lastPatience, max(body.left, 1)))
		}
		setDeadline(conn.SetWriteDeadline, lastPatience+s.Patience)
		return err
	}
}

// setDeadline sets a deadline from now on, or none with 0. A writer without a connection, as in tests, has no
// deadlines.
func setDeadline(set func(time.Time) error, after time.Duration) {
	at := time.Time{}
	if after > 0 {
		at = time.Now().Add(after)
	}
	_ = set(at)
}

// patientBody is a body that has to arrive within a time. If it renews, each piece has that time. Only the waiting in
// reads counts, not the time between them.
type patientBody struct {
	io.ReadCloser
	conn           *http.ResponseController
	patience, left time.Duration
	renews, over   bool
	got            int // since left was renewed
}

func (b *patientBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.tooSlow()
	}
	setDeadline(b.conn.SetReadDeadline, b.left)
	began := time.Now()
	n, err := b.ReadCloser.Read(p)
	b.left -= time.Since(began)
	if b.got += n; b.renews && b.got >= pace {
		b.left, b.got = b.patience, 0
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.left = 0
		return n, b.tooSlow()
	case err != nil: // the server now watches whether the client goes, for which there is no deadline
		b.over = errors.Is(err, io.EOF)
		setDeadline(b.conn.SetReadDeadline, 0)
	}
	return n, err
}

func (b *patientBody) tooSlow() error {
	if b.renews {
		return rest.HTTPErrorf(http.StatusRequestTimeout, "The body arrives too slowly: within %s, the server "+
			"received less than %s.", b.patience, rest.SizeText(pace))
	}
	return rest.HTTPErrorf(http.StatusRequestTimeout, "The body did not arrive within %s.", b.patience)
}

// patientWriter is an answer; the client has to take each piece of it within a time.
type patientWriter struct {
	http.ResponseWriter
	conn     *http.ResponseController
	patience time.Duration
}

// Unwrap lets http.ResponseController reach the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *patientWriter) Write(p []byte) (written int, err error) {
	defer setDeadline(w.conn.SetWriteDeadline, 0) // a pause between writes is the server's own
	for first := true; first || len(p) > 0 && err == nil; first = false {
		setDeadline(w.conn.SetWriteDeadline, w.patience)
		var n int
		n, err = w.ResponseWriter.Write(p[:min(len(p), pace)])
		written, p = written+n, p[n:]
	}
	return written, err
}

// FlushError is http.ResponseController's.
func (w *patientWriter) FlushError() error {
	setDeadline(w.conn.SetWriteDeadline, w.patience)
	defer setDeadline(w.conn.SetWriteDeadline, 0)
	return w.conn.Flush()
}
