package lcm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestRegistryServerParams_areReadAsInTheSeed(t *testing.T) {
	p, problems := lcm.CheckRegistryServerParams(json.RawMessage(`{"private_registry_installation_param": {
		"ssh_cp_name": "CP1", "ssh_username": "ubuntu", "ssh_password": "hunter2", "image_path": "Files/images/private_registry.tar"}}`))
	require.Empty(t, problems)
	assert.Equal(t, 5000, p.Port)
	assert.Equal(t, "Files/images/private_registry.tar", p.ImagePath)
	access := p.Access()
	assert.Equal(t, "CP1", access.MasterNode.NicCpName)
	assert.Equal(t, "hunter2", access.MasterNode.Password.Clear)
	assert.Equal(t, 600, access.Timeouts.SSH)
	assert.Equal(t, 180, access.Timeouts.Command)
}

func TestRegistryServerParams_everyMistakeIsToldAtOnce(t *testing.T) {
	_, problems := lcm.CheckRegistryServerParams(json.RawMessage(`{"private_registry_installation_param": {
		"ssh_username": "a b", "image_path": "/etc/passwd", "port_no": "22", "image": "a b", "proxy": {"http_proxy": "hunter2"}, "tls": {"private_key": "hunter2"},
		"users": [{"username": "a:b"}, {"username": "u", "password": "` + strings.Repeat("x", 73) + `"}, {"username": "u", "password": "p"}, 7],
		"timeouts": {"ssh": -1}, "colour": "red"}}`))
	assert.ElementsMatch(t, []string{
		".ssh_cp_name", ".ssh_username", ".ssh_password", ".image_path", ".port_no", ".image", ".proxy.http_proxy", ".tls.certificate_path",
		".tls.private_key", ".users[0].username", ".users[0].password", ".users[1].password", ".users[2].username", ".users[3]", ".timeouts.ssh", ".colour",
	}, relative(problems, "$.additionalParams.private_registry_installation_param"))
	for _, p := range problems {
		assert.NotContains(t, p.Detail, "hunter2")
	}
	for _, doc := range []string{``, `{}`, `{"private_registry_installation_param": null}`} {
		_, problems = lcm.CheckRegistryServerParams(json.RawMessage(doc))
		require.Len(t, problems, 1, doc)
		_, err := lcm.ParseRegistryServerParams(json.RawMessage(doc))
		assert.True(t, lcm.Is(err, lcm.KindInvalid))
	}
}
