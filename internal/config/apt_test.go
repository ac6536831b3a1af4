package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

const armored = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n-----END PGP PUBLIC KEY BLOCK-----\n"

func keyFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key.asc")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestLoad_aptRepositoryFromEverywhere(t *testing.T) {
	key := keyFile(t, armored)
	path := file(t, "kubernetes:\n  apt:\n    url: http://file.example/deb\n    suite: stable\n    component: main\n    "+
		"keyFile: "+key+"\n")
	t.Setenv("WINDLASS_KUBERNETES_APT_URL", "http://environment.example/deb")
	t.Setenv("WINDLASS_KUBERNETES_APT_VERSION", "1.34.4-1.1")
	c, err := load(t, []config.Need{config.NeedWorker}, "--config", path, "--kubernetes-apt-version=1.34.5-1.1")
	require.NoError(t, err)
	assert.Equal(t, config.Apt{
		URL: "http://environment.example/deb", Suite: "stable", Component: "main", Version: "1.34.5-1.1", KeyFile: key,
		Key: []byte(armored),
	}, c.Kubernetes.Apt)
	assert.Equal(t, &k8s.AptRepository{
		URL: "http://environment.example/deb", Suite: "stable", Component: "main", Version: "1.34.5-1.1",
	}, c.Kubernetes.Apt.Repository())

	c, err = load(t, []config.Need{config.NeedWorker}, "--kubernetes-apt-url=http://mirror.example/deb",
		"--kubernetes-apt-trusted", "--config", file(t, ""))
	require.NoError(t, err)
	assert.Equal(t, config.Apt{URL: "http://mirror.example/deb", Suite: "/", Version: "1.34.4-1.1", Trusted: true},
		c.Kubernetes.Apt)
}

func TestLoad_refusesAnAptRepositoryThatCannotWork(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		paths []string
		says  string
	}{
		"no key": {
			[]string{"--kubernetes-apt-url=http://h/"},
			[]string{"kubernetes.apt.keyFile"},
			"kubernetes.apt.trusted",
		},
		"password": {
			[]string{"--kubernetes-apt-url=http://u:hunter2@h/", "--kubernetes-apt-trusted"},
			[]string{"--kubernetes-apt-url"},
			"without a password",
		},
		"component": {[]string{
			"--kubernetes-apt-url=http://h/", "--kubernetes-apt-suite=stable",
			"--kubernetes-apt-trusted",
		}, []string{"kubernetes.apt.component"}, "missing"},
		"no URL": {
			[]string{"--kubernetes-apt-version=1.34.4-1.1"},
			[]string{"--kubernetes-apt-version"},
			"kubernetes.apt.url is missing",
		},
		"absent file": {
			[]string{"--kubernetes-apt-url=http://h/", "--kubernetes-apt-key-file=absent"},
			[]string{"--kubernetes-apt-key-file"},
			"absent",
		},
		"no key in it": {
			[]string{"--kubernetes-apt-url=http://h/", "--kubernetes-apt-key-file=" + keyFile(t, "hello")},
			[]string{"--kubernetes-apt-key-file"},
			"armored",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, []config.Need{config.NeedWorker}, c.args...)
			assert.Equal(t, c.paths, places(t, err))
			assert.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
	_, err := load(t, []config.Need{config.NeedAPI}, "--config",
		file(t, "kubernetes: {apt: {url: 'http://h/', keyFile: /on/the/worker}}"))
	require.NoError(t, err, "the API server's host needs no key")
}
