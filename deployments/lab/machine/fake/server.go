package fake

import (
	"context"
	"io"
	"net"
	"sync"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// loginGrace is the time limit for a login; it is sshd's default.
const loginGrace = 2 * time.Minute

// serve handles one SSH connection.
func (m *Machine) serve(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	_ = conn.SetDeadline(time.Now().Add(loginGrace))
	server, channels, requests, err := ssh.NewServerConn(conn, m.config)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { ssh.DiscardRequests(requests) }) // answers keepalives with "unknown", as sshd does
	for offered := range channels {
		if offered.ChannelType() != "session" {
			_ = offered.Reject(ssh.UnknownChannelType, "only sessions")
			continue
		}
		channel, asked, err := offered.Accept()
		if err != nil {
			continue
		}
		all.Go(func() { m.session(ctx, server.User(), channel, asked) })
	}
}

// session runs the single command or subsystem of a session.
func (m *Machine) session(ctx context.Context, user string, channel ssh.Channel, requests <-chan *ssh.Request) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var work sync.WaitGroup
	defer work.Wait()
	defer func() { _ = channel.Close() }()
	busy := false
	for request := range requests {
		var argument struct{ Text string }
		parsed := ssh.Unmarshal(request.Payload, &argument) == nil
		start := func() uint32 { return 1 }
		switch {
		case request.Type == "exec" && parsed && !busy:
			start = func() uint32 { return m.exec(ctx, user, argument.Text, channel) }
		case request.Type == "subsystem" && parsed && argument.Text == "sftp" && !busy:
			start = func() uint32 { return m.sftp(channel) }
		case request.Type == "shell" && !busy:
			start = func() uint32 {
				_, _ = io.WriteString(channel, "This is a fake machine of windlass-lab: it has no shell.\r\n")
				return 1
			}
		default:
			_ = request.Reply(request.Type == "pty-req" || request.Type == "env", nil)
			continue
		}
		busy = true
		_ = request.Reply(true, nil)
		work.Go(func() {
			status := ssh.Marshal(struct{ Status uint32 }{start()})
			if ctx.Err() == nil { // else the power is off, and no machine is left to send a status
				_, _ = channel.SendRequest("exit-status", false, status)
			}
			_ = channel.Close()
		})
	}
	cancel() // the client has closed the session
}

func (m *Machine) sftp(channel ssh.Channel) uint32 {
	server := sftp.NewRequestServer(channel, m.files.sftpHandlers(), sftp.WithStartDirectory(home))
	if err := server.Serve(); err != nil && err != io.EOF { //nolint:errorlint // Serve returns it bare
		return 1
	}
	return 0
}
