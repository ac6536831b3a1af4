package vnfpkg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg"
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
		"- import_playbook: other.yaml":                                                           true,
		"vdus: {}":                                                                                true,
		"[":                                                                                       true,
	} {
		require.Equal(t, logsIn, vnfpkg.LogsIn("web.yaml", []byte(text)), text)
	}
}
