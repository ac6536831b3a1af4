package openstacktest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// Login has the address and the private key for a login on a server. The server's template named the key.
type Login struct{ Address, PrivateKey, ServerID string }

// Disk is a volume as Nova names it.
type Disk = openstack.Attachment

// key makes a key pair: the private key as PEM, and the public key as a line for Nova.
func key(t *testing.T) (private, public string) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(priv, "")
	require.NoError(t, err)
	line, err := ssh.NewPublicKey(pub)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(block)), string(ssh.MarshalAuthorizedKey(line))
}

// insideGuest logs in at the address that the inventory has, with the private key, and looks for the volume.
func (s *site) insideGuest(inv *vim.Inventory, solo vim.Resource, private string) {
	if s.SizeOf == nil {
		return
	}
	address := inv.Ports[s.resource(inv, inv.ID, "solo_cp").ID].Address
	list, err := s.cloud.Attachments(s.Context(), solo.ID)
	require.NoError(s, err)
	require.Equal(s, "1073741824", s.SizeOf(s.T, Login{address, private, solo.ID}, list[0]))
}
