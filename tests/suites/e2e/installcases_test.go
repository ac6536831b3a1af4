package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	proxyUser     = "lab"
	proxyPassword = "Pa55-of-the-proxy-41d7"
)

// TestKubernetesPackagesAreInstalled installs the Kubernetes packages on real machines whose image does not have them.
// It uses pinned versions, a proxy, and a repository that the test makes, while other processes hold the locks of apt
// and dpkg.
func TestKubernetesPackagesAreInstalled(t *testing.T) {
	img := labImage(t)
	dir, err := os.MkdirTemp("/var/tmp", "windlass-install-") // machines hard-link the image's files
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	b := bootBareNodes(t, filepath.Join(dir, "lab"), img, "worker-1a", "worker-2b")
	repository := newAptRepository(t, dir, b.host, kubernetesPackages(img)...)
	proxy := newHTTPProxy(t, b.host, proxyUser, proxyPassword)
	stop := watchArguments(t, proxyPassword)

	b.missingWithoutARepository(t)
	apt := k8s.AptRepository{
		URL: repository.url, Suite: "/", Version: pinnedVersion, KeyPath: "apt.asc", Trusted: repository.key == nil,
	}
	b.params.AptRepository, b.packageKey = &apt, repository.key
	b.refusedRepositories(t, repository, proxy)
	b.installedThroughTheProxy(t, repository, proxy)
	b.secondRunChangesNothing(t, repository)
	b.keptFromOthers(t)
	b.completedWithoutTheProxy(t, repository, proxy)
	require.Empty(t, stop(), "the proxy's password was among a process's arguments")
}

// missingWithoutARepository runs only the check, which changes nothing on the node.
func (b *bareNodes) missingWithoutARepository(t *testing.T) {
	t.Helper()
	_, err := act(t, b.activities().CheckNode, b.input(b.nodes[0]))
	require.ErrorContains(t, err, "worker-1a cannot become a node")
	require.ErrorContains(t, err, "kubeadm is not on the image, and neither the request (apt_repository) nor the "+
		"configuration")
	b.params.AptRepository = &k8s.AptRepository{URL: "http://repository.example/"}
	_, err = act(t, b.activities().CheckNode, b.input(b.nodes[0]))
	require.NoError(t, err)
	b.said()
}

func (b *bareNodes) refusedRepositories(t *testing.T, repository *aptRepository, proxy *httpProxy) {
	t.Helper()
	node, good, key := b.nodes[0], *b.params.AptRepository, b.packageKey
	closed := "http://" + b.host + ":1"
	b.params.AptRepository.URL = closed
	b.run(t, node, "systemd-run -q --collect sh -c 'sleep 3; touch /run/go-on'")
	said := b.refused(t, node, lcm.KindUnavailable, "the apt repository "+closed+" cannot be read: ", "Connection refused")
	require.Contains(t, said, "waiting for cloud-init")
	b.run(t, node, "test -e /run/first-boot-done")

	b.params.AptRepository.URL = repository.url + "/elsewhere"
	b.refused(t, node, lcm.KindBroken, repository.url+"/elsewhere cannot be read", "404")

	*b.params.AptRepository = good
	if repository.key != nil {
		b.packageKey = repository.otherKey
		b.refused(t, node, lcm.KindInvalid,
			"the apt repository "+repository.url+" cannot be read: it is not signed by the key", "NO_PUBKEY")
		b.packageKey = key
	}
	b.params.AptRepository.Version = "1.33.0-1.1"
	b.refused(t, node, lcm.KindInvalid,
		"the apt repository "+repository.url+" has no kubeadm of version 1.33.0-1.1; it has "+newerVersion+" "+pinnedVersion)

	*b.params.AptRepository = good
	b.params.Proxy = &k8s.ProxyParams{HTTPProxy: lcm.Secret{Clear: proxy.as(proxyUser, "stale-"+proxyPassword)}}
	said = b.refused(t, node, lcm.KindInvalid,
		"the apt repository "+repository.url+" cannot be read: the proxy refuses its user name or password")
	require.NotContains(t, said, proxyPassword)
	require.Zero(t, proxy.requests.Load())
	require.Empty(t, b.run(t, node, "dpkg-query -W -f '${Package}' 'kube*' 2>/dev/null || true"), "nothing was installed")
}

// holdLocks holds both locks as apt-daily does: apt waits for the second lock by itself, but not for the first one.
const holdLocks = `
systemd-run -q --collect python3 -c '
import fcntl, time
lists = open("/var/lib/apt/lists/lock", "w"); fcntl.lockf(lists, fcntl.LOCK_EX)
dpkg = open("/var/lib/dpkg/lock-frontend", "w"); fcntl.lockf(dpkg, fcntl.LOCK_EX)
open("/run/busy", "w")
time.sleep(3); lists.close()
time.sleep(4); open("/run/free", "w")'
until [ -e /run/busy ]; do sleep 0.1; done`

func (b *bareNodes) installedThroughTheProxy(t *testing.T, repository *aptRepository, proxy *httpProxy) {
	t.Helper()
	node, direct := b.nodes[0], repository.requests.Load()
	b.params.Proxy.HTTPProxy.Clear = proxy.as(proxyUser, proxyPassword)
	b.run(t, node, holdLocks)
	out, err := b.prepare(t, node)
	said := b.said()
	require.NoError(t, err, "%s", said)
	require.Equal(t, "v1.34.4", out.Kubeadm)
	b.run(t, node, "test -e /run/free") // it continued only after the other process had released the locks
	require.Equal(t, 1, strings.Count(said, "waiting for another installation"), "%s", said)
	require.NotContains(t, said, proxyPassword)
	require.Positive(t, proxy.requests.Load())
	require.Equal(t, proxy.requests.Load(), repository.requests.Load()-direct, "everything goes through the proxy")
	b.requirePinned(t, node)
}

func (b *bareNodes) requirePinned(t *testing.T, node lcm.Node) {
	t.Helper()
	require.Equal(t, "kubeadm 1.34.4-1.1 hold ok installed\nkubectl 1.34.4-1.1 hold ok installed\nkubelet 1.34.4-1.1 "+
		"hold ok installed",
		b.run(t, node, `dpkg-query -W -f '${Package} ${Version} ${Status}\n' kubeadm kubectl kubelet`))
	require.Equal(t, "enabled", b.run(t, node, "systemctl is-enabled kubelet"))
}

func (b *bareNodes) secondRunChangesNothing(t *testing.T, repository *aptRepository) {
	t.Helper()
	node, requests := b.nodes[0], repository.requests.Load()
	containerd := b.run(t, node, "systemctl show -p MainPID,NRestarts containerd; touch /run/stamp")
	_, err := b.prepare(t, node)
	require.NoError(t, err)
	require.Contains(t, b.said(), "every package is on the image")
	require.Empty(t, b.run(t, node, "find /etc /usr /boot /opt /var/lib/dpkg /var/lib/apt "+
		"/var/lib/systemd/deb-systemd-helper-enabled -xdev -type f -newer /run/stamp 2>/dev/null || true"))
	require.Equal(t, containerd, b.run(t, node, "systemctl show -p MainPID,NRestarts containerd"))
	require.Equal(t, requests, repository.requests.Load())
}

// keptFromOthers looks for the password on the whole disk. Only files that only root can read may contain it.
func (b *bareNodes) keptFromOthers(t *testing.T) {
	t.Helper()
	files := b.run(t, b.nodes[0], `grep -rlF `+proxyPassword+` /etc /home /root /tmp /usr/local /run /var --exclude-dir=containerd --exclude-dir='test-*' 2>/dev/null | xargs -r stat -c '%a %U %n' | sort`)
	require.Equal(t, "600 root /etc/apt/apt.conf.d/95windlass-proxy\n600 root /etc/windlass/proxy.env", files)
	// A configuration file that only root can read must not prevent other users from using apt.
	b.run(t, b.nodes[0], "runuser -u debian -- apt-cache policy kubeadm >/dev/null")
}

// completedWithoutTheProxy prepares a node whose installation was killed. The repository is not signed, and no_proxy
// contains its host. The test gives only the version of Kubernetes, not of the packages.
func (b *bareNodes) completedWithoutTheProxy(t *testing.T, repository *aptRepository, proxy *httpProxy) {
	t.Helper()
	node, through := b.nodes[1], proxy.requests.Load()
	require.NoError(t, os.RemoveAll(filepath.Join(repository.dir, "InRelease")))
	b.params.KubernetesVersion, b.params.Proxy.NoProxy = "1.34.4", "example.com,"+b.host
	*b.params.AptRepository = k8s.AptRepository{URL: repository.url, Suite: "/", Trusted: true}
	b.run(t, node, "touch /run/go-on; cd /tmp && curl -sSfO "+repository.url+"/kubectl_"+pinnedVersion+"_"+runtime.GOARCH+".deb && dpkg --unpack kubectl_*.deb && command -v kubectl")
	_, err := b.prepare(t, node)
	said := b.said()
	require.NoError(t, err, "%s", said)
	require.Contains(t, said, "completing an interrupted installation")
	require.Equal(t, through, proxy.requests.Load(), "the repository is inside: no proxy")
	b.requirePinned(t, node)
}

// watchArguments looks for a secret in the arguments of all processes, including those in machines, until stop.
func watchArguments(t *testing.T, secret string) (stop func() []string) {
	t.Helper()
	var seen []string
	var looks atomic.Int32
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
			}
			looks.Add(1)
			files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range files {
				args, err := os.ReadFile(file) // the process may have ended
				// The test's own grep for the password is no leak.
				if err == nil && bytes.Contains(args, []byte(secret)) && !bytes.HasPrefix(args, []byte("grep\x00")) {
					seen = append(seen, string(bytes.ReplaceAll(args, []byte{0}, []byte{' '})))
				}
			}
		}
	}()
	return func() []string {
		close(end)
		<-ended
		require.Positive(t, looks.Load())
		return seen
	}
}
