package scripts_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

func TestRegistryConfig_hasWhatIsAskedFor(t *testing.T) {
	for name, c := range map[string]scripts.RegistryConfig{
		"registry-config.yml": {Port: 5000}, "registry-config-secure.yml": {Port: 443, HTTPS: true, Users: true},
		"registry-config-volume.yml": {Port: 5000, HTTPS: true, Volume: "/registry"},
	} {
		text, err := c.Render()
		require.NoError(t, err)
		golden(t, name, text)
	}
}

// onlyThese hides the programs of this machine that the script would use for the registry.
const onlyThese = serviceStubs + `
curl() { printf 401; }
sleep() { :; }
journalctl() { echo "listen tcp :5000: bind: address already in use"; }
chgrp() { :; }
chown() { :; }
runuser() { [[ ${READONLY:-no} != yes ]]; }
dpkg() { :; }
apt-cache() { # more than a pipe holds, so that who stops reading ends it
  if [[ $CANDIDATE == none ]]; then echo '  Candidate: (none)'; else echo '  Candidate: 2.8'; fi
  printf '%100000s\n' 'Version table:'
}
apt-get() {
  echo "apt-get $*"
  [[ $* != *docker-registry* ]] || docker-registry() { :; }
  [[ $* != *docker.io* ]] || docker() { engine docker "$@"; }
}
# engine NAME ARGUMENT...: has no image before one is loaded or pulled, and then one that starts what $COMMAND says.
engine() {
  case "$*" in
  *--format*) echo "${COMMAND-[\"/entrypoint.sh\"] [\"/etc/docker/registry/config.yml\"]}" ;;
  *" image inspect "* | *"images ls"*) return 1 ;;
  *" load "*) echo "Loaded image: registry:latest" ;;
  *" containers info "*) printf '{\n  "Spec": {\n    "process": {\n      "args": [\n        "/entrypoint.sh",\n        "/etc/docker/registry/config.yml"\n      ],\n      "env": [\n        "A=b.yml"\n      ]\n' ;;
  *) echo "$*" ;;
  esac
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

// installation returns the parameters of an installation on this node, some of them replaced.
func installation(n node, others map[string]string) map[string]string {
	params := map[string]string{
		"PORT": "5000", "HTTPS": "no", "IMAGE_FILE": "", "IMAGE": "docker.io/library/registry:2", "NO_PROXY_LIST": "",
		"LOCK_FOR": "1", "VOLUME": "", "IMAGES": n.root + "/var/lib/windlass/registry",
		"CA_DIR": n.root + "/etc/windlass/registry-ca", "CA_NAME": "1111", "CERTIFICATE_NAMES": "", "VALID_DAYS": "0",
	}
	maps.Copy(params, others)
	return params
}

func TestInstallRegistry_usesWhatIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		has, imageFile, candidate string
		way, starts, says         string
	}{
		"docker": {
			has: "docker", imageFile: "/image.tar", way: "docker", starts: "run --rm --name " +
				"private_registry --network host",
			says: `--entrypoint "/entrypoint.sh" registry:latest "/etc/windlass/registry/config.yml"` + "\n",
		},
		"podman pulls": {
			has: "podman", way: "podman", starts: "/usr/bin/podman run",
			says: `--entrypoint "/entrypoint.sh" docker.io/library/registry:2 "/etc/`,
		},
		"containerd": {
			has: "ctr", imageFile: "/image.tar", way: "ctr", starts: "run --rm --net-host",
			says: `windlass.local/private_registry:package private_registry "/entrypoint.sh" "/etc/windlass/registry/config.yml"` + "\n",
		},
		"ctr pulls": {
			has: "ctr", way: "ctr", starts: "run --rm --net-host",
			says: "docker.io/library/registry:2 private_registry",
		},
		"the package": {
			has: "docker-registry", way: "package",
			starts: "User=docker-registry\nExecStart=/usr/bin/docker-registry serve",
		},
		"nothing":        {way: "package", starts: "ExecStart=/usr/bin/docker-registry serve", says: ""},
		"nothing to get": {candidate: "none", way: "docker", starts: "/usr/bin/docker run"},
		"an image to run": {
			imageFile: "/image.tar", way: "docker", starts: "/usr/bin/docker run",
			says: `"/entrypoint.sh" registry:latest "`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			stubs := onlyThese + "CANDIDATE=" + c.candidate + "\n"
			if c.has != "" {
				stubs += c.has + `() { engine ` + c.has + ` "$@"; }` + "\n"
			}
			params := installation(n, map[string]string{"IMAGE_FILE": c.imageFile})
			inputs := map[string]string{"config": "version: 0.1\n", "htpasswd": "u:h\n"}
			said, code := registryScript(t, n.root, "install-registry", stubs, params, inputs)
			require.Zero(t, code, said)
			assert.Equal(t, c.way, scripts.ParseResults(said).Get("way"))
			unit := strings.ReplaceAll(read(t, n.root, "etc/systemd/system/windlass-registry.service"), n.root, "")
			assert.Contains(t, unit, c.starts)
			assert.Contains(t, unit, c.says)
			assert.Contains(t, said, "service restart windlass-registry")
			assert.Equal(t, "u:h\n", read(t, n.root, "etc/windlass/registry/htpasswd"))
			assert.NotContains(t, unit, "RequiresMountsFor")
			assert.NoDirExists(t, filepath.Join(n.root, "etc/windlass/registry-ca"), "no CA is asked for")

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

// TestInstallRegistry_pullsWithoutProgress checks that pulls show no progress: nerdctl and ctr repeat a line for each
// layer, which would fill the output of the step.
func TestInstallRegistry_pullsWithoutProgress(t *testing.T) {
	for way, pulls := range map[string]string{
		"nerdctl": "nerdctl pull -q docker.io/library/registry:2\n",
		"docker":  "docker pull -q docker.io/library/registry:2\n", "ctr": "",
	} {
		n := newNode(t)
		stubs := onlyThese + "CANDIDATE=none\n" + way + `() { [[ $* != *pull* ]] || echo "errors are told" >&2; engine ` +
			way + ` "$@"; }` + "\n"
		said, code := registryScript(t, n.root, "install-registry", stubs, installation(n, nil),
			map[string]string{"config": "version: 0.1\n"})
		require.Zero(t, code, said)
		assert.Equal(t, way, scripts.ParseResults(said).Get("way"))
		assert.Contains(t, said, pulls)
		assert.NotContains(t, said, "images pull", way)
		assert.Contains(t, said, "errors are told", way)
	}
}

// TestInstallRegistry_startsTheImageAsItStartsItselfWithOurConfiguration checks how the unit starts images with these
// entrypoints and commands.
func TestInstallRegistry_startsTheImageAsItStartsItselfWithOurConfiguration(t *testing.T) {
	const ours = `"/etc/windlass/registry/config.yml"`
	for name, c := range map[string]struct{ command, program, arguments string }{
		"the library's":           {`["/entrypoint.sh"] ["/etc/docker/registry/config.yml"]`, `"/entrypoint.sh"`, ours},
		"the library's version 3": {`["/entrypoint.sh"] ["/etc/distribution/config.yml"]`, `"/entrypoint.sh"`, ours},
		"the distribution's":      {`["registry"] ["serve","/etc/distribution/config.yml"]`, `"registry"`, `"serve" ` + ours},
		"no entrypoint":           {`null ["registry","serve","config.yaml"]`, `"registry"`, `"serve" ` + ours},
		"no configuration": {`["/usr/bin/docker-registry","serve"] null`, `"/usr/bin/docker-registry"`, `"serve" ` +
			ours},
		"in the entrypoint": {
			`["/run.sh","--config=/a.yml"] null`, `"/run.sh"`,
			`"--config=/etc/windlass/registry/config.yml"`,
		},
		"a shell": {
			`["/bin/sh","-c"] ["a \"$B\" \u0026\u0026 registry serve /x y/c.yml 5%"]`, `"/bin/sh"`,
			`"-c" "a \"$$B\" \u0026\u0026 registry serve /x /etc/windlass/registry/config.yml 5%%"`,
		},
		"none": {`null null`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			stubs := onlyThese + "docker() { engine docker \"$@\"; }\nCOMMAND=" + scripts.Quote(c.command) + "\n"
			said, code := registryScript(t, n.root, "install-registry", stubs,
				installation(n, map[string]string{"IMAGE_FILE": "/image.tar"}), map[string]string{"config": "version: 0.1\n"})
			if c.program == "" {
				assert.Equal(t, 65, code, said)
				assert.Contains(t, said, "the image names no command")
				return
			}
			require.Zero(t, code, said)
			unit := strings.ReplaceAll(read(t, n.root, "etc/systemd/system/windlass-registry.service"), n.root, "")
			assert.Contains(t, unit, " --entrypoint "+c.program+" registry:latest "+c.arguments+"\n")
		})
	}
}

// proxied installs behind a proxy, while Docker is already running.
func proxied(t *testing.T, n node, more string) (said string, code int) {
	t.Helper()
	stubs := onlyThese + `
CANDIDATE=none
docker() { case $1 in pull) echo "pulls by $HTTP_PROXY but for $NO_PROXY" ;; *) engine docker "$@" ;; esac; }
systemctl() { echo "systemctl $*"; [[ $* != "is-active --quiet containerd" ]]; }
` + more
	return registryScript(t, n.root, "install-registry", stubs,
		installation(n, map[string]string{"NO_PROXY_LIST": "a, b&c"}),
		map[string]string{"config": "version: 0.1\n", "http_proxy": "http://u:p&touch=1|(x)<y>#z%20@proxy.example:3128"})
}

func TestInstallRegistry_givesTheProxyToTheEnginesAsItIs(t *testing.T) {
	n := newNode(t)
	said, code := proxied(t, n, "")
	require.Zero(t, code, said)
	const proxy = "http://u:p&touch=1|(x)<y>#z%20@proxy.example:3128"
	assert.Contains(t, said, "pulls by "+proxy+" but for a, b&c\n")
	assert.Equal(t, "HTTP_PROXY="+proxy+"\nNO_PROXY=a, b&c\n\n", read(t, n.root, "etc/windlass/proxy.env"))
	assert.Contains(t, read(t, n.root, "etc/systemd/system/docker.service.d/windlass-proxy.conf"),
		"EnvironmentFile="+n.root+"/etc/windlass/proxy.env")
	assert.Contains(t, said, "service restart docker")
	assert.NotContains(t, said, "service restart containerd", "it does not run")
	said, code = proxied(t, n, "")
	require.Zero(t, code, said)
	assert.NotContains(t, said, "restart docker", "the second time nothing changes")
}

// TestInstallRegistry_givesTheProxyToARunningDockerAlsoWhenTheRunThatWroteItWasCutShort interrupts a run at each step
// between the files and the restart. The next run must do the restart.
func TestInstallRegistry_givesTheProxyToARunningDockerAlsoWhenTheRunThatWroteItWasCutShort(t *testing.T) {
	for name, cut := range map[string]string{
		"the environment is written": `write_file() { local new=$1; cat >"$SCRATCH/new"; mkdir -p "${new%/*}"; cp "$SCRATCH/new" "$new"; [[ $new != */proxy.env ]] || exit 143; }`,
		"the drop-in is written":     `write_file() { local new=$1; cat >"$SCRATCH/new"; mkdir -p "${new%/*}"; cp "$SCRATCH/new" "$new"; [[ $new != */docker.service.d/* ]] || exit 143; }`,
		"systemd has read it":        `systemctl() { [[ $1 != daemon-reload ]] || exit 143; }`,
		"Docker is to be restarted":  `service() { exit 143; }`,
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			said, code := proxied(t, n, cut)
			require.Equal(t, 143, code, said)
			said, code = proxied(t, n, "")
			require.Zero(t, code, said)
			assert.Regexp(t, "(?s)systemctl daemon-reload.*service restart docker\n", said)
			said, code = proxied(t, n, "")
			require.Zero(t, code, said)
			assert.NotContains(t, said, "restart docker", "once is enough")
		})
	}
}

func TestInstallRegistry_letsDebiansRegistryReachItsImages(t *testing.T) {
	n := newNode(t)
	params := installation(n, nil)
	directory := filepath.Join(n.root, "var/lib/windlass")
	require.NoError(t, os.MkdirAll(directory, 0o700))
	require.NoError(t, os.Chmod(directory, 0o700)) // as the scripts' runner creates it
	run := func() (string, int) {
		return registryScript(t, n.root, "install-registry", onlyThese+"docker-registry() { :; }\n", params,
			map[string]string{"config": "version: 0.1\n"})
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
		said, code := registryScript(t, n.root, "install-registry", onlyThese+"docker-registry() { :; }\n",
			installation(n, map[string]string{"PORT": port, "HTTPS": "yes"}), map[string]string{"config": "version: 0.1\n"})
		require.Zero(t, code, said)
		unit := read(t, n.root, "etc/systemd/system/windlass-registry.service")
		assert.Equal(t, may, strings.Contains(unit, "AmbientCapabilities=CAP_NET_BIND_SERVICE"), "port %s", port)
	}
}

func TestInstallRegistry_saysWhyTheRegistryDoesNotAnswer(t *testing.T) {
	n := newNode(t)
	require.NoError(t, os.MkdirAll(filepath.Join(n.root, "etc/windlass"), 0o755))
	stubs := onlyThese + "docker-registry() { :; }\nwait_until() { return 1; }\n"
	said, code := registryScript(t, n.root, "install-registry", stubs, installation(n, map[string]string{"HTTPS": "yes"}),
		map[string]string{"config": "version: 0.1\n"})
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "windlass: the registry does not answer on port 5000: listen tcp :5000: bind: address "+
		"already in use")
}

// certified installs with a generated certificate, and returns that certificate and its CA.
func certified(t *testing.T, n node, params map[string]string) (said string, leaf, ca *x509.Certificate) {
	t.Helper()
	said, code := registryScript(t, n.root, "install-registry", onlyThese+"docker() { engine docker \"$@\"; "+
		"}\nmountpoint() { :; }\nCANDIDATE=\n", params, map[string]string{"config": "version: 0.1\n"})
	require.Zero(t, code, said)
	dir := filepath.Join(n.root, "etc/windlass/registry")
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "registry.crt"), filepath.Join(dir, "registry.key"))
	require.NoError(t, err, "as a registry reads them")
	block, rest := pem.Decode([]byte(read(t, params["CA_DIR"], "ca.crt")))
	require.NotNil(t, block)
	require.Empty(t, rest)
	ca, err = x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	for _, secret := range []string{filepath.Join(dir, "registry.key"), filepath.Join(params["CA_DIR"], "ca.key")} {
		info, err := os.Stat(secret)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), secret)
	}
	assert.NotContains(t, said, "PRIVATE KEY")
	return said, pair.Leaf, ca
}

// TestInstallRegistry_makesACertificateAndKeepsItsCA uses the real openssl.
func TestInstallRegistry_makesACertificateAndKeepsItsCA(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	n := newNode(t)
	params := installation(n, map[string]string{
		"HTTPS": "yes", "CERTIFICATE_NAMES": "DNS:registry.example.com,IP:10.0.0.41,IP:fd00::41", "VALID_DAYS": "30",
	})
	said, leaf, ca := certified(t, n, params)
	assert.Contains(t, said, "a CA is made: there is none yet")
	assert.Contains(t, said, "service restart windlass-registry")
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	for _, name := range []string{"registry.example.com", "10.0.0.41", "fd00::41"} {
		_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
		assert.NoError(t, err, name)
	}
	_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "other.example.com"})
	assert.Error(t, err)
	assert.True(t, ca.IsCA)
	assert.True(t, ca.MaxPathLenZero)
	assert.WithinDuration(t, time.Now().AddDate(0, 0, 30), leaf.NotAfter, time.Hour)
	assert.True(t, ca.NotAfter.After(time.Now().AddDate(19, 0, 0)))
	assert.True(t, leaf.NotBefore.Before(time.Now().Add(-30*time.Minute)), "clocks differ")

	said, again, sameCA := certified(t, n, params)
	assert.Equal(t, leaf.Raw, again.Raw, "the second run keeps it")
	assert.Equal(t, ca.Raw, sameCA.Raw)
	assert.NotContains(t, said, "restart windlass-registry")

	params["CERTIFICATE_NAMES"] = "DNS:other.example.com,IP:10.0.0.41"
	said, again, sameCA = certified(t, n, params)
	assert.Equal(t, ca.Raw, sameCA.Raw, "clients trust it")
	assert.Equal(t, []string{"other.example.com"}, again.DNSNames)
	assert.NotEqual(t, leaf.SerialNumber, again.SerialNumber)
	assert.Contains(t, said, "service restart windlass-registry")

	// A new machine gets the directory of the CA from a volume.
	other := newNode(t)
	require.NoError(t, os.CopyFS(filepath.Join(other.root, "volume/ca"), os.DirFS(params["CA_DIR"])))
	require.NoError(t, os.Chmod(filepath.Join(other.root, "volume/ca/ca.key"), 0o600))
	params["CA_DIR"], params["VOLUME"], params["IMAGES"] = other.root+"/volume/ca", other.root+"/volume",
		other.root+"/volume/images"
	_, again, sameCA = certified(t, other, params)
	assert.Equal(t, ca.Raw, sameCA.Raw)
	require.NoError(t, again.CheckSignatureFrom(ca))

	// A damaged CA is generated anew, and the output says so.
	require.NoError(t, os.WriteFile(params["CA_DIR"]+"/ca.key", []byte("lost"), 0o600))
	said, again, sameCA = certified(t, other, params)
	assert.Contains(t, said, "is damaged")
	assert.NotEqual(t, ca.Raw, sameCA.Raw)
	require.NoError(t, again.CheckSignatureFrom(sameCA))
	params["VALID_DAYS"] = "7400"
	said, _, _ = certified(t, other, params)
	assert.Contains(t, said, "ends too soon")
}

func TestInstallRegistry_writesToItsVolumeAndNowhereElse(t *testing.T) {
	n := newNode(t)
	params := installation(n, map[string]string{
		"VOLUME": n.root + "/volume", "IMAGES": n.root + "/volume/images", "CA_DIR": n.root + "/volume/ca",
	})
	stubs := onlyThese + "docker() { engine docker \"$@\"; }\nmountpoint() { return $MOUNTED; }\n"
	inputs := map[string]string{"config": "version: 0.1\n"}
	said, code := registryScript(t, n.root, "install-registry", "MOUNTED=1\n"+stubs, params, inputs)
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "windlass: no volume is mounted to "+n.root+"/volume")
	assert.NoDirExists(t, n.root+"/volume")
	said, code = registryScript(t, n.root, "install-registry", "MOUNTED=0\n"+stubs, params, inputs)
	require.Zero(t, code, said)
	unit := strings.ReplaceAll(read(t, n.root, "etc/systemd/system/windlass-registry.service"), n.root, "")
	assert.Contains(t, unit, "containerd.service\nRequiresMountsFor=/volume/images\nAssertPathIsMountPoint=/volume\n\n[Service]")
	assert.Contains(t, unit, "-v /volume/images:/volume/images")
	assert.DirExists(t, n.root+"/volume/images")
}
