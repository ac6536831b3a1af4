package remote

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"github.com/pkg/sftp"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// File is a file to put on a machine.
type File struct {
	Path    string // absolute; missing directories are made
	Mode    fs.FileMode
	Content []byte
	Sudo    bool
}

// Put makes the file exist with that content and mode. It writes only if they differ. It writes a temporary file with a
// checksum first, so that nobody ever reads half a file.
func (h *Host) Put(ctx context.Context, f File) (err error) {
	if !path.IsAbs(f.Path) {
		return lcm.Errorf(lcm.KindBug, "%s: %q is not an absolute path", h.target.Node, f.Path)
	}
	ctx, span := beginSpan(ctx, "put", h.target, f.Path)
	defer func() { endSpan(span, err) }()
	as, err := h.elevate(ctx, f.Sudo)
	if err != nil {
		return err
	}
	sum, mode := checksum(f.Content), strconv.FormatUint(uint64(f.Mode.Perm()), 8)
	there, err := h.check(ctx, as, f.Path)
	if err != nil || there == mode+" "+sum {
		return err
	}
	staged, err := h.stage(ctx, f.Content)
	if err != nil {
		return err
	}
	c := call{}
	if staged == "-" {
		c.stdin = f.Content
	}
	var said string
	c.reply = keepError(&said)
	e, err := h.call(ctx, as, c, "put", staged, f.Path, mode, sum)
	if err == nil && e.code != 0 {
		err = runnerError(h.target, f.Path, "write "+f.Path, e, said)
	}
	return err
}

// check returns "mode checksum" of a file, "" when there is none.
func (h *Host) check(ctx context.Context, as elevation, name string) (string, error) {
	var there, said string
	e, err := h.call(ctx, as, call{reply: func(reply runner.Reply) {
		if reply.Word == "file" {
			there = reply.Rest
		}
		keepError(&said)(reply)
	}}, "check", name)
	if err == nil && e.code != 0 {
		err = runnerError(h.target, name, "read "+name, e, said)
	}
	return there, err
}

// stage uploads content over SFTP as the login user. For a server without SFTP it returns "-": the content goes to
// stdin.
func (h *Host) stage(ctx context.Context, content []byte) (name string, err error) {
	to, err := h.connection(ctx)
	if err != nil {
		return "", err
	}
	l, overSSH := to.(*link)
	if !overSSH {
		return "-", nil
	}
	ended := make(chan func() (string, error), 1)
	go func() {
		name, err := h.upload(ctx, l, content)
		ended <- func() (string, error) { return name, err }
	}()
	select {
	case result := <-ended:
		return result()
	case <-ctx.Done(): // abandons a server that does not answer; the goroutine ends with the connection
		return "", ctx.Err()
	}
}

func (h *Host) upload(ctx context.Context, l *link, content []byte) (name string, err error) {
	// SFTP has no context: closing the session ends a pending call.
	session, err := l.client.NewSession()
	if err != nil {
		return "", cutError(h.target, err)
	}
	defer func() { _ = session.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	out, outErr := session.StdoutPipe()
	in, inErr := session.StdinPipe()
	if outErr != nil || inErr != nil || session.RequestSubsystem("sftp") != nil {
		return "-", ctx.Err()
	}
	client, err := sftp.NewClientPipe(out, in)
	if err != nil {
		return "-", ctx.Err() // the subsystem is configured but not installed
	}
	defer func() { _ = client.Close() }()
	name = runner.UserBase + "/upload-" + rand.Text()
	if err = write(client, name, content); err == nil {
		// The runner's working directory is not the login directory.
		name, err = client.RealPath(name)
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case !l.alive():
		return "", cutError(h.target, err)
	case err != nil:
		return "-", nil // stdin either works or gives a better reason than SFTP's "failure"
	}
	return name, nil
}

func write(client *sftp.Client, name string, content []byte) error {
	_ = client.Mkdir(path.Dir(name)) // it may exist; if it cannot be made, Create reports it
	file, err := client.Create(name)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	err = file.Chmod(0o600) // before the file has content
	if err == nil {
		_, err = file.Write(content)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = client.Remove(name)
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// Get reads a file, as root if possible. A file longer than limit is Invalid.
func (h *Host) Get(ctx context.Context, name string, limit int64) ([]byte, error) {
	as, err := h.elevate(ctx, true)
	if lcm.Is(err, lcm.KindDenied) {
		as, err = h.elevate(ctx, false)
	}
	if err != nil {
		return nil, err
	}
	var content []byte
	var said string
	absent := false
	c := call{
		most: limit + maxAnswer,
		stdout: afterMarker(func(p []byte) {
			// One byte more shows that the file is too long.
			content = append(content, p[:min(int64(len(p)), limit+1-int64(len(content)))]...)
		}),
		reply: func(reply runner.Reply) {
			absent = absent || reply.Word == "state" && reply.Rest == runner.Absent
			keepError(&said)(reply)
		},
	}
	e, err := h.call(ctx, as, c, "get", name, strconv.FormatInt(limit, 10))
	switch {
	case err != nil:
		return nil, err
	case e.code != 0:
		return nil, runnerError(h.target, name, "read "+name, e, said)
	case absent:
		return nil, lcm.Errorf(lcm.KindNotFound, "%s: there is no file %s", h.target.Node, name)
	case int64(len(content)) > limit:
		return nil, lcm.Errorf(lcm.KindInvalid, "%s: the file %s is longer than %d bytes", h.target.Node, name, limit)
	}
	return content, nil
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
