//go:build cgo

// Command windlass-token wraps and unwraps the keys of Windlass with a key in a token. Windlass starts it if its key
// file is wrapped. It is a program of its own because a PKCS #11 module is a shared library in C: windlass stays a static
// binary, and a module that crashes takes no server with it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/token"
)

func main() {
	out, err := keepOutput()
	if err == nil {
		err = serve(os.Stdin, out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "windlass-token:", err)
		os.Exit(1)
	}
}

// keepOutput keeps the standard output for the answer: what a module prints there goes nowhere.
func keepOutput() (*os.File, error) {
	answer, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("keep the standard output: %w", err)
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		err = unix.Dup3(int(nowhere.Fd()), int(os.Stdout.Fd()), 0)
	}
	if err != nil {
		return nil, fmt.Errorf("silence the standard output: %w", err)
	}
	return os.NewFile(uintptr(answer), "answer"), nil
}

// serve reads one request and writes its answer.
func serve(in io.Reader, out io.Writer) error {
	var r token.Request
	// The error of the decoder could quote the request, which has secrets.
	if json.NewDecoder(in).Decode(&r) != nil || r.Do != token.Wrap && r.Do != token.Unwrap {
		return errors.New("this program is for windlass, which sends it a request; do not start it by hand. " +
			"If windlass did, install both from the same release")
	}
	return json.NewEncoder(out).Encode(answer(r))
}

func answer(r token.Request) (a token.Answer) {
	s, failure := open(r, &a)
	if failure == nil {
		defer s.close()
		a.Keys, failure = s.do(r)
	}
	a.Failure = failure
	return a
}
