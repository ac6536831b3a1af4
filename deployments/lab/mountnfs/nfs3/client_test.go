package nfs3

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// server is an NFS server with one file, with its portmapper and its mount service, all on one port.
type server struct {
	t    *testing.T
	port int

	mu       sync.Mutex
	content  []byte
	verifier uint64
	calls    map[uint32]int // the number of calls of NFS, by procedure
	creds    []Cred
	// before is called before each call of NFS. It returns the status of the answer, or that the server closes the
	// connection after it has carried the call out.
	before func(procedure uint32) (status uint32, hangUp bool)
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, verifier: 7, calls: map[uint32]int{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	s.port = l.Addr().(*net.TCPAddr).Port
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *server) intercept(before func(procedure uint32) (status uint32, hangUp bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
}

// counted returns how often a procedure was called.
func (s *server) counted(procedure uint32) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[procedure]
}

func (s *server) lastCred() Cred {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.creds[len(s.creds)-1]
}

func (s *server) serve(conn net.Conn) {
	defer conn.Close()
	for {
		call, err := readRecord(conn)
		if err != nil {
			return
		}
		reply, hangUp := s.answer(&decoder{b: call})
		if hangUp {
			return
		}
		// In two fragments, which a server may do.
		head := binary.BigEndian.AppendUint32(nil, 4)
		head = append(head, reply[:4]...)
		head = binary.BigEndian.AppendUint32(head, uint32(len(reply)-4)|lastFragment)
		if _, err := conn.Write(append(head, reply[4:]...)); err != nil {
			return
		}
	}
}

func (s *server) answer(d *decoder) (reply []byte, hangUp bool) {
	xid := d.u32()
	d.take(8)
	program := d.u32()
	d.u32()
	procedure := d.u32()
	cred := s.cred(d)
	d.take(8)
	var e encoder
	for _, v := range []uint32{xid, 1, 0, 0, 0, 0} {
		e.u32(v)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch program {
	case portmapProgram:
		e.u32(uint32(s.port))
	case mountProgram:
		if d.text() != "/export" {
			e.u32(2)
			return e.b, false
		}
		e.u32(0)
		e.text("root handle")
		e.u32(1)
		e.u32(1)
	case nfsProgram:
		var status uint32
		if s.before != nil {
			status, hangUp = s.before(procedure)
		}
		s.calls[procedure]++
		s.creds = append(s.creds, cred)
		e.u32(status)
		if status == 0 {
			s.nfs(d, &e, procedure)
		}
	}
	return e.b, hangUp
}

func (s *server) cred(d *decoder) Cred {
	d.u32()
	body := &decoder{b: d.opaque()}
	body.u32()
	body.text()
	c := Cred{UID: body.u32(), GID: body.u32()}
	for range body.u32() {
		c.Groups = append(c.Groups, body.u32())
	}
	return c
}

func (s *server) nfs(d *decoder, e *encoder, procedure uint32) {
	d.opaque() // the handle
	switch procedure {
	case 1:
		s.attr(e)
	case 3:
		e.text("file handle")
		e.u32(0) // no attributes, so the client must ask for them
		e.u32(0)
	case 6:
		at, count := d.u64(), uint64(d.u32())
		part := s.content[min(at, uint64(len(s.content))):min(at+count, uint64(len(s.content)))]
		e.u32(0)
		e.u32(uint32(len(part)))
		e.flag(at+count >= uint64(len(s.content)))
		e.opaque(part)
	case 7:
		at := d.u64()
		d.u32()
		d.u32()
		data := d.opaque()
		data = data[:min(len(data), 3)] // a server may write less than it gets
		s.content = append(s.content[:at], data...)
		e.u32(0)
		e.u32(0)
		e.u32(uint32(len(data)))
		e.u32(0)
		e.u64(s.verifier)
	case 17:
		s.list(d, e)
	case 19:
		e.u32(0)
		for _, v := range []uint32{4, 4, 1, 5, 5, 1} {
			e.u32(v)
		}
	case 21:
		e.u32(0)
		e.u32(0)
		e.u64(s.verifier)
	}
}

func (s *server) attr(e *encoder) {
	for _, v := range []uint32{Regular, 0o640, 1, 1000, 1001} {
		e.u32(v)
	}
	e.u64(uint64(len(s.content)))
	for range 3 {
		e.u64(0)
	}
	e.u64(42)
	for range 6 {
		e.u32(1234)
	}
}

// list answers with one entry at a time.
func (s *server) list(d *decoder, e *encoder) {
	cookie := d.u64()
	names := []string{".", "..", "a", "b"}
	e.u32(0)
	e.u64(0)
	e.flag(true)
	e.u64(cookie + 100)
	e.text(names[cookie])
	e.u64(cookie + 1)
	e.flag(true)
	s.attr(e)
	e.flag(true)
	e.text("a handle")
	e.flag(false)
	e.flag(int(cookie) == len(names)-1)
}

func (s *server) client(t *testing.T, patience time.Duration) *Client {
	t.Helper()
	c, err := Mount(t.Context(), Target{
		Host: "127.0.0.1", Export: "/export", Port: s.port, MountPort: s.port, Patience: patience,
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestClient_readsAndWritesInTheServersPortions(t *testing.T) {
	s := newServer(t)
	c, ctx, cred := s.client(t, 0), t.Context(), Cred{UID: 1000, GID: 1001, Groups: []uint32{4, 20}}
	require.Equal(t, Handle("root handle"), c.Root)
	h, a, err := c.Lookup(ctx, cred, c.Root, "file")
	require.NoError(t, err)
	require.Equal(t, Handle("file handle"), h)
	require.Equal(t, uint64(42), a.FileID)
	require.Equal(t, int64(1234), a.Mtime.Unix())

	written, err := c.Write(ctx, cred, h, []byte("0123456789"), 0, false)
	require.NoError(t, err)
	committed, err := c.Commit(ctx, cred, h)
	require.NoError(t, err)
	require.Equal(t, written, committed)
	p := make([]byte, 20)
	n, err := c.Read(ctx, cred, h, p, 1)
	require.NoError(t, err)
	require.Equal(t, "123456789", string(p[:n]))
	require.Equal(t, cred, s.lastCred())

	entries, err := c.Readdir(ctx, cred, c.Root)
	require.NoError(t, err)
	require.Equal(t, []Entry{{Name: "a", FileID: 102, Type: Regular}, {Name: "b", FileID: 103, Type: Regular}}, entries)
}

func TestClient_asksAgainWhenTheServerSaysLater(t *testing.T) {
	s := newServer(t)
	c, asked := s.client(t, 0), 0
	s.intercept(func(uint32) (uint32, bool) {
		if asked++; asked == 1 {
			return uint32(jukebox), false
		}
		return 0, false
	})
	_, err := c.Getattr(t.Context(), Cred{}, c.Root)
	require.NoError(t, err)
	require.Equal(t, 2, s.counted(1))
}

func TestClient_sendsAgainWhatALostConnectionLeftUnanswered(t *testing.T) {
	s := newServer(t)
	c, lost := s.client(t, 0), 0
	s.intercept(func(uint32) (uint32, bool) {
		lost++
		return 0, lost <= 2
	})
	_, err := c.Getattr(t.Context(), Cred{}, c.Root)
	require.NoError(t, err)
	require.Equal(t, 3, s.counted(1))
}

func TestClient_ofASoftMountGivesUp(t *testing.T) {
	s := newServer(t)
	c := s.client(t, time.Millisecond)
	s.intercept(func(uint32) (uint32, bool) { return 0, true })
	_, err := c.Getattr(t.Context(), Cred{}, c.Root)
	require.ErrorIs(t, err, errLost)
}

func TestClient_ofAHardMountWaitsUntilItsCallerEnds(t *testing.T) {
	s := newServer(t)
	c := s.client(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	s.intercept(func(uint32) (uint32, bool) {
		cancel()
		return 0, true
	})
	_, err := c.Getattr(ctx, Cred{}, c.Root)
	require.ErrorIs(t, err, context.Canceled)
}

func TestClient_saysWhatTheServerRefuses(t *testing.T) {
	s := newServer(t)
	c := s.client(t, 0)
	for status, want := range map[uint32]syscall.Errno{
		2: syscall.ENOENT, 13: syscall.EACCES, 28: syscall.ENOSPC, 63: syscall.ENAMETOOLONG, 66: syscall.ENOTEMPTY,
		70: syscall.ESTALE, 10001: syscall.ESTALE, 10004: syscall.ENOTSUP, 10006: syscall.EIO,
	} {
		s.intercept(func(uint32) (uint32, bool) { return status, false })
		_, err := c.Getattr(t.Context(), Cred{}, c.Root)
		var got Status
		require.True(t, errors.As(err, &got))
		require.Equal(t, want, got.Errno(), "%d", status)
	}
	_, err := Mount(t.Context(), Target{Host: "127.0.0.1", Export: "/other", Port: s.port, MountPort: s.port})
	require.ErrorContains(t, err, "127.0.0.1 has no export /other")
}

func TestWrite_noticesThatTheServerRestarted(t *testing.T) {
	s := newServer(t)
	c := s.client(t, 0)
	s.intercept(func(procedure uint32) (uint32, bool) {
		if procedure == 7 {
			s.verifier++
		}
		return 0, false
	})
	_, err := c.Write(t.Context(), Cred{}, "file handle", []byte("0123456789"), 0, false)
	require.ErrorIs(t, err, ErrRestarted)
}

func FuzzAnswer_neverPanics(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0})
	f.Fuzz(func(_ *testing.T, reply []byte) {
		d, err := accepted(reply)
		if err != nil {
			return
		}
		d.attr()
		d.skipWcc()
		d.verifier()
		_ = d.text()
	})
}
