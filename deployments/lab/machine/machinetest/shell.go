package machinetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

// patience is enough for a boot on a host that is busy with other builds.
const patience = 60 * time.Second

func (h *harness) dial(ctx context.Context, host string, user string, auth ...ssh.AuthMethod) (*ssh.Client, error) {
	address := net.JoinHostPort(host, strconv.Itoa(h.subject.SSHPort))
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	c, chans, reqs, err := ssh.NewClientConn(conn, address, &ssh.ClientConfig{
		User: user, Auth: auth, HostKeyCallback: ssh.InsecureIgnoreHostKey(), //nolint:gosec // the machine is ours and minutes old
	})
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return ssh.NewClient(c, chans, reqs), nil
}

// login logs in with a key, and waits for sshd until a boot must be finished.
func (h *harness) login(t *testing.T, host string) *ssh.Client {
	t.Helper()
	client, err := h.loginAs(t, host, machine.User, ssh.PublicKeys(h.key))
	require.NoError(t, err, "log in to %s", host)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func (h *harness) loginAs(t *testing.T, host, user string, auth ...ssh.AuthMethod) (*ssh.Client, error) {
	t.Helper()
	end := time.Now().Add(patience)
	for {
		client, err := h.dial(t.Context(), host, user, auth...)
		refused := err != nil && strings.Contains(err.Error(), "unable to authenticate")
		if err == nil || refused || time.Now().After(end) {
			return client, err
		}
		<-time.After(100 * time.Millisecond)
	}
}

func address(m machine.Machine) string { return m.Ports[0].FixedIPs[0] }

func (h *harness) awaitSSH(t *testing.T, m machine.Machine) {
	t.Helper()
	h.login(t, address(m))
}

func (h *harness) requireNoSSH(t *testing.T, m machine.Machine) {
	t.Helper()
	_, err := h.dial(t.Context(), address(m), machine.User, ssh.PublicKeys(h.key))
	require.Error(t, err, "%s must not answer", m.Name)
}

// shell runs commands on one machine.
type shell struct {
	t      *testing.T
	client *ssh.Client
}

func (h *harness) shell(t *testing.T, m machine.Machine) shell {
	t.Helper()
	return shell{t: t, client: h.login(t, address(m))}
}

func (s shell) try(command string) (string, error) {
	s.t.Helper()
	session, err := s.client.NewSession()
	require.NoError(s.t, err)
	defer session.Close()
	type result struct {
		out []byte
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := session.CombinedOutput(command)
		done <- result{out, err}
	}()
	select {
	case r := <-done:
		return strings.TrimSpace(string(r.out)), r.err
	case <-time.After(patience):
		return "", errors.New("no answer in time")
	}
}

func (s shell) must(command string) string {
	s.t.Helper()
	out, err := s.try(command)
	require.NoError(s.t, err, "%s: %s", command, out)
	return out
}

// script runs lines of bash as root, and stops at the first line that fails.
func (s shell) script(text string) string {
	s.t.Helper()
	return s.must("sudo bash -eu -o pipefail <<'END-OF-SCRIPT'\n" + text + "\nEND-OF-SCRIPT")
}

func (s shell) fails(command, why string) {
	s.t.Helper()
	out, err := s.try(command)
	require.Error(s.t, err, "%s: %s: %s", why, command, out)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(patience)
	for !ok() {
		require.False(t, time.Now().After(end), fmt.Sprintf("never: %s", what))
		<-time.After(100 * time.Millisecond)
	}
}

// AwaitBanner waits for the greeting of an SSH server at the address.
func AwaitBanner(t *testing.T, address string) {
	t.Helper()
	eventually(t, "sshd answers at "+address, func() bool {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return false
		}
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		greeting := make([]byte, 4)
		n, err := conn.Read(greeting)
		return err == nil && strings.HasPrefix(string(greeting[:n]), "SSH")
	})
}
