package playbook_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

func TestLogsIn_isToldFromThePlays(t *testing.T) {
	for text, logsIn := range map[string]bool{
		"- { hosts: 127.0.0.1, connection: local, tasks: [{ file: { path: x }, become: true }] }": false,
		"- { hosts: localhost, tasks: [{ debug: { msg: x } }] }":                                  false,
		"- { hosts: all, connection: local, tasks: [] }":                                          false,
		"- { hosts: all, tasks: [] }":                                                             true,
		"- { hosts: 127.0.0.1, connection: ssh }":                                                 true,
		"[{ hosts: localhost }, { hosts: all }]":                                                  true,
		"- { hosts: localhost, tasks: [{ ping: {}, delegate_to: '{{ host }}' }] }":                true,
		"- { hosts: localhost, tasks: [{ block: [{ ansible.builtin.include_tasks: x.yaml }] }] }": true,
		"- { hosts: localhost, roles: [web] }":                                                    true,
		"- { hosts: localhost, tasks: [{ ansible.posix.synchronize: { src: x, dest: y } }] }":     true,
		"- { hosts: localhost, tasks: [{ local_action: synchronize src=x dest=y }] }":             true,
		"- { hosts: localhost, tasks: [{ action: { module: ansible.posix.synchronize } }] }":      true,
		"- { hosts: localhost, tasks: [{ add_host: name=x ansible_host=192.0.2.1 }] }":            true,
		"- { hosts: localhost, tasks: [{ local_action: file path=x state=touch }] }":              false,
		"- import_playbook: other.yaml":                                                           true,
		"vdus: {}":                                                                                true,
		"[":                                                                                       true,
	} {
		require.Equal(t, logsIn, playbook.LogsIn("web.yaml", []byte(text), map[string]any{"ansible_password": "x"}), text)
	}
}

func TestLogsIn_countsParamsOfConfig(t *testing.T) {
	for text, c := range map[string]struct {
		params map[string]any
		logsIn bool
	}{
		"- { hosts: localhost }":                    {map[string]any{"ansible_connection": "ssh"}, true},
		"- { hosts: 127.0.0.1, connection: local }": {map[string]any{"ansible_host": "_VAR_VDU_INSTANCE_IP"}, true},
		"- { hosts: all }":                          {map[string]any{"ansible_connection": "local"}, false},
		"- { hosts: all, tasks: [] }":               {map[string]any{"greeting": map[string]any{"a": 1}}, true},
	} {
		require.Equal(t, c.logsIn, playbook.LogsIn("web.yaml", []byte(text), c.params), text)
	}
}
