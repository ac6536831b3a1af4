package nspawn

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUserData_becomesScripts(t *testing.T) {
	f, err := parseUserData([]byte(`#cloud-config
hostname: node-1
password: it's "secret"
ssh_pwauth: true
ssh_authorized_keys: [ssh-ed25519 AAAA me]
chpasswd:
  list: |
    root:rootpw
    debian:debpw
users:
  - default
  - {name: ubuntu, sudo: "ALL=(ALL) NOPASSWD:ALL", ssh_authorized_keys: [ssh-rsa BBBB you]}
write_files:
  - {path: /etc/a b, content: plain, permissions: '0600', owner: "debian:debian"}
  - {path: /etc/c, encoding: b64, content: aGVsbG8=, append: true}
bootcmd: [[touch, /run/early]]
runcmd:
  - systemctl restart ssh
  - [echo, "it's", "$HOME"]
package_update: true
`))
	require.NoError(t, err)
	golden(t, "cloud-config.config.sh", f.Config)
	golden(t, "cloud-config.final.sh", f.Final)
	require.Equal(t, [][]byte{[]byte("plain"), []byte("hello")}, f.Files)
	for name, script := range map[string]string{"config": f.Config, "final": f.Final} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
		out, err := exec.CommandContext(t.Context(), "sh", "-n", file).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

func TestUserData_scriptIsRunAsItIs(t *testing.T) {
	script := "#!/usr/bin/env python3\nprint('x')\n"
	f, err := parseUserData([]byte(script))
	require.NoError(t, err)
	require.Equal(t, script, string(f.Files[0]))
	require.Empty(t, f.Config)
	require.Contains(t, f.Final, "./file-0")
}

func TestUserData_thatCannotBeUsedIsRefused(t *testing.T) {
	for _, data := range []string{
		"echo no header", "#cloud-config\nruncmd: {a: b}", "#cloud-config\n\tx",
		"#cloud-config\nwrite_files: [{path: /a, encoding: gzip}]",
	} {
		_, err := parseUserData([]byte(data))
		require.Error(t, err, data)
	}
	f, err := parseUserData(nil)
	require.NoError(t, err)
	require.Equal(t, firstBoot{}, f)
}

func FuzzUserData(f *testing.F) {
	f.Add([]byte("#cloud-config\nruncmd: [a, [b, c]]\nusers: [default, {name: x}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := parseUserData(data)
		if err == nil && strings.HasPrefix(string(data), "#!") {
			require.Equal(t, data, b.Files[0])
		}
	})
}
