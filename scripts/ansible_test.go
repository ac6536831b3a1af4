package scripts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

func TestInventory_isInTheFormOfKubespray(t *testing.T) {
	three := scripts.Inventory{Hosts: []scripts.InventoryHost{
		{Name: "cp-1a2b3c4d", SSHAddress: "203.0.113.11", Address: "10.0.0.11", User: "debian", Password: true, ControlPlane: true},
		{Name: "cp-2b3c4d5e", SSHAddress: "203.0.113.12", Address: "10.0.0.12", User: "debian", Password: true, ControlPlane: true},
		{Name: "cp-3c4d5e6f", SSHAddress: "203.0.113.13", Address: "10.0.0.13", User: "debian", Password: true, ControlPlane: true},
		{Name: "worker-5e6f7a8b", SSHAddress: "10.0.0.21", Port: 2222, Address: "10.0.0.21", User: "ubuntu", Key: true},
		{Name: "worker-6f7a8b9c", SSHAddress: "10.0.0.22", Port: 2222, Address: "10.0.0.22", User: "ubuntu", Key: true},
	}}
	for name, i := range map[string]scripts.Inventory{
		"hosts.ini": three, "hosts-alone.ini": {Hosts: three.Hosts[:1]},
		"hosts-recovers.ini": {Hosts: three.Hosts[1:4], Recovers: true, Broken: three.Hosts[:1]},
		"hosts-grows.ini":    {Hosts: three.Hosts[:3], Recovers: true},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := i.Render()
			require.NoError(t, err)
			golden(t, name, text)
		})
	}
}

func TestAnsibleSecrets_areInputsAndNoParameters(t *testing.T) {
	stdin, err := scripts.AnsibleSecrets{
		Passwords: map[string]string{"cp-1": "s3cr3t"}, Keys: map[string]string{"worker-1": "KEY"},
		Variables: map[string]string{"http_proxy": "http://u:p@proxy:3128"},
	}.Stdin()
	require.NoError(t, err)
	assert.Contains(t, string(stdin), "secrets=")
	assert.Contains(t, string(stdin), "key.worker-1=")
	assert.NotContains(t, string(stdin), "s3cr3t", "what is secret is in base64, for the script alone")
}
