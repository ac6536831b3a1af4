package scripts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

// Each file is read as a language of its own. No value of a request or a VIM may become a word of it.
func TestConfigs_refuseValuesThatWouldBeRead(t *testing.T) {
	const command = `10.0.0.5 ansible_connection=local x="{{ lookup('pipe','id') }}"`
	host := scripts.InventoryHost{Name: "cp-1", SSHAddress: "10.0.0.5", Address: "10.0.0.5", User: "debian", Password: true}
	with := func(change func(*scripts.InventoryHost)) scripts.Inventory {
		h := host
		change(&h)
		return scripts.Inventory{Hosts: []scripts.InventoryHost{h}}
	}
	keepalived := scripts.KeepalivedConf{
		Node: "cp-1", Interface: "eth0", Address: "10.0.0.5", Peers: []string{"10.0.0.6"}, VirtualIP: "10.0.0.4",
		Prefix: "24", Password: "abc", Priority: 1, VirtualRouterID: 1, Port: 1,
	}
	balanced := func(change func(*scripts.KeepalivedConf)) scripts.KeepalivedConf {
		c := keepalived
		change(&c)
		return c
	}
	backends := func(b scripts.Backend) scripts.HAProxyConf {
		return scripts.HAProxyConf{Port: 1, Backends: []scripts.Backend{b}}
	}
	for name, c := range map[string]interface{ Render() (string, error) }{
		"inventory: address":          with(func(h *scripts.InventoryHost) { h.Address = command }),
		"inventory: address for SSH":  with(func(h *scripts.InventoryHost) { h.SSHAddress = "10.0.0.5\n[all:vars]" }),
		"inventory: name":             with(func(h *scripts.InventoryHost) { h.Name = "cp-1 ansible_connection=local" }),
		"inventory: user":             with(func(h *scripts.InventoryHost) { h.User = "{{ lookup('pipe','id') }}" }),
		"haproxy.cfg: address":        backends(scripts.Backend{Name: "cp-1", Address: "10.0.0.5:1\nfrontend x"}),
		"haproxy.cfg: name":           backends(scripts.Backend{Name: "cp-1 10.0.0.9:1", Address: "10.0.0.5"}),
		"keepalived.conf: node":       balanced(func(c *scripts.KeepalivedConf) { c.Node = "a\n}" }),
		"keepalived.conf: interface":  balanced(func(c *scripts.KeepalivedConf) { c.Interface = "eth0 {" }),
		"keepalived.conf: address":    balanced(func(c *scripts.KeepalivedConf) { c.Address = "a}" }),
		"keepalived.conf: peer":       balanced(func(c *scripts.KeepalivedConf) { c.Peers = []string{"10.0.0.6\n}"} }),
		"keepalived.conf: virtual IP": balanced(func(c *scripts.KeepalivedConf) { c.VirtualIP = "10.0.0.4 dev lo" }),
		"keepalived.conf: password":   balanced(func(c *scripts.KeepalivedConf) { c.Password = "a\n}" }),
	} {
		t.Run(name, func(t *testing.T) {
			text, err := c.Render()
			require.Error(t, err, text)
			assert.Contains(t, err.Error(), "is no")
		})
	}
	_, err := with(func(*scripts.InventoryHost) {}).Render()
	require.NoError(t, err)
	_, err = keepalived.Render()
	require.NoError(t, err)
}

func TestAnsibleSecrets_areNoTemplates(t *testing.T) {
	in, err := scripts.AnsibleSecrets{
		Passwords: map[string]string{"cp-1": "a{{ 7*7 }}b"}, Variables: map[string]string{"token": "{% x"},
	}.Stdin()
	require.NoError(t, err)
	assert.NotEmpty(t, in)
}
