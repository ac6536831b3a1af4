package nfs3

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// replyTimeout is after how long without an answer a connection counts as dead: the call is sent again over a new
	// one. A commit on a busy disk takes its time.
	replyTimeout = 60 * time.Second
	// maxReply bounds what a broken server makes us read.
	maxReply = 4 << 20
	// lastFragment marks the last fragment of a record (RFC 5531, section 11).
	lastFragment = 1 << 31
)

// errLost is a connection that broke before the answer came.
var errLost = errors.New("the connection to the server was lost")

// caller makes remote procedure calls of one program to one server (RFC 5531, over TCP). It connects when it has to,
// and sends calls again that a lost connection left without an answer.
type caller struct {
	dial             func(context.Context) (net.Conn, error)
	program, version uint32
	// patience bounds how long a server that is away is waited for; 0 is for ever, as on a hard mount.
	patience time.Duration

	xid  atomic.Uint32
	mu   sync.Mutex
	link *link
}

// call returns the procedure's result. Calls may be made at the same time.
func (c *caller) call(ctx context.Context, cred Cred, procedure uint32, args []byte) (*decoder, error) {
	xid := c.xid.Add(1)
	message := c.encode(xid, cred, procedure, args)
	began, pause := time.Now(), 100*time.Millisecond
	for {
		l, err := c.connect(ctx)
		if err == nil {
			var reply []byte
			if reply, err = l.roundTrip(ctx, xid, message); err == nil {
				return accepted(reply)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if c.patience > 0 && time.Since(began) > c.patience {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, 3*time.Second)
	}
}

func (c *caller) encode(xid uint32, cred Cred, procedure uint32, args []byte) []byte {
	e := encoder{b: make([]byte, 4, 160+len(args))} // the length of the record comes last
	for _, v := range []uint32{xid, 0, 2, c.program, c.version, procedure} {
		e.u32(v)
	}
	cred.encode(&e)
	e.u32(0) // the verifier: none
	e.u32(0)
	e.b = append(e.b, args...)
	binary.BigEndian.PutUint32(e.b, uint32(len(e.b)-4)|lastFragment)
	return e.b
}

// connect returns the connection, a new one when the last is dead.
func (c *caller) connect(ctx context.Context) (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil && !c.link.isDead() {
		return c.link, nil
	}
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	c.link = &link{conn: conn, waiting: map[uint32]chan []byte{}, dead: make(chan struct{})}
	go c.link.read()
	return c.link, nil
}

func (c *caller) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil {
		c.link.end()
	}
}

// link is one connection.
type link struct {
	conn    net.Conn
	sending sync.Mutex

	mu      sync.Mutex
	waiting map[uint32]chan []byte

	once sync.Once
	dead chan struct{}
}

func (l *link) isDead() bool {
	select {
	case <-l.dead:
		return true
	default:
		return false
	}
}

func (l *link) end() {
	l.once.Do(func() {
		close(l.dead)
		_ = l.conn.Close()
	})
}

func (l *link) roundTrip(ctx context.Context, xid uint32, message []byte) ([]byte, error) {
	answer := make(chan []byte, 1)
	l.mu.Lock()
	l.waiting[xid] = answer
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, xid)
		l.mu.Unlock()
	}()
	if err := l.send(message); err != nil {
		l.end()
		return nil, errLost
	}
	timeout := time.NewTimer(replyTimeout)
	defer timeout.Stop()
	select {
	case reply := <-answer:
		return reply, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.dead:
	case <-timeout.C:
		l.end()
	}
	return nil, errLost
}

func (l *link) send(message []byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(replyTimeout)); err != nil {
		return err
	}
	_, err := l.conn.Write(message)
	return err
}

// read hands answers to those who wait for them, until the connection ends.
func (l *link) read() {
	defer l.end()
	for {
		reply, err := readRecord(l.conn)
		if err != nil || len(reply) < 4 {
			return
		}
		l.mu.Lock()
		answer := l.waiting[binary.BigEndian.Uint32(reply)]
		delete(l.waiting, binary.BigEndian.Uint32(reply))
		l.mu.Unlock()
		if answer != nil {
			answer <- reply
		}
	}
}

func readRecord(r io.Reader) ([]byte, error) {
	var record []byte
	for {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err
		}
		mark := binary.BigEndian.Uint32(head[:])
		size := int(mark &^ lastFragment)
		if len(record)+size > maxReply {
			return nil, errShort
		}
		have := len(record)
		record = append(record, make([]byte, size)...)
		if _, err := io.ReadFull(r, record[have:]); err != nil {
			return nil, err
		}
		if mark&lastFragment != 0 {
			return record, nil
		}
	}
}

// accepted strips the head of an answer.
func accepted(reply []byte) (*decoder, error) {
	d := &decoder{b: reply}
	d.u32() // the xid
	if kind := d.u32(); kind != 1 {
		return nil, errShort
	}
	if denied := d.u32(); denied != 0 {
		return nil, ErrDenied
	}
	d.u32() // the verifier
	d.opaque()
	if status := d.u32(); status != 0 || d.err != nil {
		return nil, fmt.Errorf("the server does not carry out the call (status %d)", status)
	}
	return d, nil
}
