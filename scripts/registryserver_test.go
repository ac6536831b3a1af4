package scripts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

func TestRegistryConfig_hasWhatIsAskedFor(t *testing.T) {
	for name, c := range map[string]scripts.RegistryConfig{
		"registry-config.yml": {Port: 5000}, "registry-config-secure.yml": {Port: 443, HTTPS: true, Users: true},
	} {
		text, err := c.Render()
		require.NoError(t, err)
		golden(t, name, text)
	}
}

// onlyThese hides the programs of this machine that would be taken for those of the registry's.
const onlyThese = serviceStubs + `
curl() { printf 401; }
sleep() { :; }
journalctl() { echo "listen tcp :5000: bind: address already in use"; }
chgrp() { :; }
chown() { :; }
runuser() { [[ ${READONLY:-no} != yes ]]; }
dpkg() { :; }
apt-cache() { [[ $CANDIDATE == none ]] || printf '  Candidate: 2.8\n'; }
apt-get() {
  echo "apt-get $*"
  [[ $* != *docker-registry* ]] || docker-registry() { :; }
  [[ $* != *docker.io* ]] || docker() { echo "docker $*"; [[ $1 != load ]] || echo "Loaded image: registry:latest"; }
}
attempt() { shift; "$@" >"$SCRATCH/attempt"; cat "$SCRATCH/attempt"; }
command() {
  case $2 in
  cloud-init) return 1 ;;
  docker | podman | nerdctl | ctr | docker-registry) [[ $(type -t "$2") == function ]] && echo "/usr/bin/$2" ;;
  *) builtin command "$@" ;;
  esac
}
`

func TestInstallRegistry_usesWhatIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		has, imageFile, candidate string
		way, starts, says         string
	}{
		"docker":          {has: "docker", imageFile: "/image.tar", way: "docker", starts: "run --rm --name private_registry --network host", says: "registry:latest "},
		"podman pulls":    {has: "podman", way: "podman", starts: "/usr/bin/podman run", says: "docker.io/library/registry:2 "},
		"containerd":      {has: "ctr", imageFile: "/image.tar", way: "ctr", starts: "run --rm --net-host", says: "docker.io/library/registry:latest private_registry"},
		"the package":     {has: "docker-registry", way: "package", starts: "User=docker-registry\nExecStart=/usr/bin/docker-registry serve"},
		"nothing":         {way: "package", starts: "ExecStart=/usr/bin/docker-registry serve", says: ""},
		"nothing to get":  {candidate: "none", way: "docker", starts: "/usr/bin/docker run"},
		"an image to run": {imageFile: "/image.tar", way: "docker", starts: "/usr/bin/docker run", says: "registry:latest "},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			stubs := onlyThese + "CANDIDATE=" + c.candidate + "\n"
			if c.has != "" {
				stubs += c.has + `() { echo "` + c.has + ` $*"; case $* in load*) echo "Loaded image: registry:latest" ;; *import*) echo "unpacking docker.io/library/registry:latest (sha256:1)...done" ;; esac; [[ $* != *inspect* && $* != *"images ls"* ]]; }` + "\n"
			}
			params := map[string]string{
				"PORT": "5000", "HTTPS": "no", "IMAGE_FILE": c.imageFile, "IMAGE": "docker.io/library/registry:2", "NO_PROXY_LIST": "", "LOCK_FOR": "1",
			}
			inputs := map[string]string{"config": "version: 0.1\n", "htpasswd": "u:h\n"}
			said, code := registryScript(t, n.root, "install-registry", stubs, params, inputs)
			require.Zero(t, code, said)
			assert.Equal(t, c.way, scripts.ParseResults(said).Get("way"))
			unit := strings.ReplaceAll(read(t, n.root, "etc/systemd/system/windlass-registry.service"), n.root, "")
			assert.Contains(t, unit, c.starts)
			assert.Contains(t, unit, c.says)
			assert.Contains(t, said, "service restart windlass-registry")
			assert.Equal(t, "u:h\n", read(t, n.root, "etc/windlass/registry/htpasswd"))

			said, code = registryScript(t, n.root, "install-registry", stubs, params, inputs)
			require.Zero(t, code, said)
			if c.has != "" {
				assert.NotContains(t, said, "restart", "the second time nothing changes")
				assert.NotContains(t, said, "apt-get")
			}
			delete(inputs, "htpasswd")
			said, code = registryScript(t, n.root, "install-registry", stubs, params, inputs)
			require.Zero(t, code, said)
			assert.NoFileExists(t, filepath.Join(n.root, "etc/windlass/registry/htpasswd"))
		})
	}
}

func TestInstallRegistry_letsDebiansRegistryReachItsImages(t *testing.T) {
	n := newNode(t)
	params := map[string]string{
		"PORT": "5000", "HTTPS": "no", "IMAGE_FILE": "", "IMAGE": "i", "NO_PROXY_LIST": "", "LOCK_FOR": "1",
	}
	directory := filepath.Join(n.root, "var/lib/windlass")
	require.NoError(t, os.MkdirAll(directory, 0o700))
	require.NoError(t, os.Chmod(directory, 0o700)) // as the scripts' runner makes it
	run := func() (string, int) {
		return registryScript(t, n.root, "install-registry", onlyThese+"docker-registry() { :; }\n", params, map[string]string{"config": "version: 0.1\n"})
	}
	said, code := run()
	require.Zero(t, code, said)
	info, err := os.Stat(directory)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o711), info.Mode().Perm())

	params["READONLY"] = "yes"
	said, code = run()
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "windlass: the registry's user docker-registry cannot write to ")
}

func TestInstallRegistry_mayListenOnHTTPSsOwnPort(t *testing.T) {
	for port, may := range map[string]bool{"443": true, "5000": false} {
		n := newNode(t)
		said, code := registryScript(t, n.root, "install-registry", onlyThese+"docker-registry() { :; }\n", map[string]string{
			"PORT": port, "HTTPS": "yes", "IMAGE_FILE": "", "IMAGE": "i", "NO_PROXY_LIST": "", "LOCK_FOR": "1",
		}, map[string]string{"config": "version: 0.1\n"})
		require.Zero(t, code, said)
		unit := read(t, n.root, "etc/systemd/system/windlass-registry.service")
		assert.Equal(t, may, strings.Contains(unit, "AmbientCapabilities=CAP_NET_BIND_SERVICE"), "port %s", port)
	}
}

func TestInstallRegistry_saysWhyTheRegistryDoesNotAnswer(t *testing.T) {
	n := newNode(t)
	require.NoError(t, os.MkdirAll(filepath.Join(n.root, "etc/windlass"), 0o755))
	stubs := onlyThese + "docker-registry() { :; }\nwait_until() { return 1; }\n"
	said, code := registryScript(t, n.root, "install-registry", stubs, map[string]string{
		"PORT": "5000", "HTTPS": "yes", "IMAGE_FILE": "", "IMAGE": "i", "NO_PROXY_LIST": "", "LOCK_FOR": "1",
	}, map[string]string{"config": "version: 0.1\n"})
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "windlass: the registry does not answer on port 5000: listen tcp :5000: bind: address already in use")
}
