package scripts_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// etcdStub answers as etcdctl does. Its members are files: dir/<id> contains the line of `member list`, and
// dir/<id>.sick means that the member does not answer.
const etcdStub = `
need_etcd() { :; }
etcd() {
  case "$1 $2" in
  "member list") cat "$DIR"/[0-9] ;;
  "endpoint health")
    for f in "$DIR"/[0-9]; do
      url=$(awk -F ', ' '{ print $5 }' "$f")
      [[ -n $url ]] || continue
      if [[ -e $f.sick ]]; then echo "$url is unhealthy: failed to commit proposal: context deadline exceeded" >&2
      else echo "$url is healthy: successfully committed proposal: took = 2ms"; fi
    done ;;
  "member remove") rm "$DIR/$3"; echo "Member $3 removed from cluster 1"; echo "$3" >>"$DIR/removed" ;;
  esac
}
`

// etcdMembers makes the members of a stub by id: "name" works, "name!" does not answer, "name?" is a learner, "" has
// not started.
func etcdMembers(t *testing.T, members ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, m := range members {
		id, name := string(rune('1'+i)), strings.TrimRight(m, "!?")
		line := id + ", started, " + name + ", https://10.0.0." + id + ":2380, https://10.0.0." + id + ":2379, false\n"
		if strings.HasSuffix(m, "?") {
			line = strings.Replace(line, ", false", ", true", 1)
		}
		if name == "" {
			line = id + ", unstarted, , https://10.0.0." + id + ":2380, , true\n"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, id), []byte(line), 0o600))
		if strings.HasSuffix(m, "!") {
			require.NoError(t, os.WriteFile(filepath.Join(dir, id+".sick"), nil, 0o600))
		}
	}
	return dir
}

func TestRemoveMembers_goesAsFarAsTheQuorumAllows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		members []string
		leaving string
		code    int
		removed string
		says    string
	}{
		"one of three": {
			[]string{"a", "b", "c"},
			"b=https://10.0.0.2:2380", 0, "2",
			"etcd has 2 members, 2 of them work",
		},
		"the one that is down": {[]string{"a", "b!", "c"}, "b=https://10.0.0.2:2380", 0, "2", "2 of them work"},
		"a healthy one beside it": {
			[]string{"a", "b!", "c"},
			"c=https://10.0.0.3:2380", 65, "",
			"etcd would lose its quorum without c: 1 of the other 2 members work and 2 must. Bring b back first",
		},
		"both, the dead one first": {
			[]string{"a", "b", "c!"},
			"b=https://10.0.0.2:2380 c=https://10.0.0.3:2380", 0, "3 2",
			"etcd has 1 members",
		},
		"two of three are down": {
			[]string{"a", "b!", "c!"},
			"b=https://10.0.0.2:2380", 65, "",
			"etcd has lost its quorum: 1 of 3 members work and 2 must",
		},
		"the last":                  {[]string{"a"}, "a=https://10.0.0.1:2380", 65, "", "a is the last member of etcd"},
		"never started, by address": {[]string{"a", "", "c"}, "b=https://10.0.0.2:2380", 0, "2", "etcd has 2 members"},
		"a learner":                 {[]string{"a", "b?"}, "b=https://10.0.0.2:2380", 0, "2", "etcd has 1 members"},
		"gone already":              {[]string{"a", "c"}, "b=https://10.0.0.9:2380", 0, "", "etcd has 2 members"},
		"its address has another":   {[]string{"a", "new", "c"}, "b=https://10.0.0.2:2380", 0, "", "etcd has 3 members"},
		"another one is down too": {
			[]string{"a", "b!", "c!", "d", "e"},
			"b=https://10.0.0.2:2380", 0, "2",
			"not healthy, but not of those that leave: c",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, dir := newNode(t), etcdMembers(t, c.members...)
			body := library(t, n.root, "lib-base", "lib-kube", "lib-etcd") + etcdStub + "\nTIMEOUT=1 LEAVING='" + c.leaving +
				"'\n" + library(t, n.root, "remove-members")
			for range 2 { // a second run changes nothing, or is refused again
				said, code := shell(t, body, "DIR="+dir)
				assert.Equal(t, c.code, code, said)
				assert.Contains(t, said, c.says)
			}
			removed, _ := os.ReadFile(filepath.Join(dir, "removed"))
			assert.Equal(t, c.removed, strings.Join(strings.Fields(string(removed)), " "))
		})
	}
}

// kubectlStub is a cluster with one node, which leaves. It consists of files: pods/<namespace>.<name> contains the kind
// of the Pod's owner, and <pod>.held prevents the Pod's eviction; status is the status of the node, "" for an unknown
// node.
const kubectlStub = `
need_api() { :; }
kubectl() { # only drain is called past kube
  local end=$((SECONDS + DRAIN_FOR)) p left
  for p in "$DIR"/pods/*; do
    [[ -e $p && $p != *.held && ! -e $p.held && $(<"$p") != DaemonSet, ]] && { echo "evicting pod ${p##*/}"; rm "$p"; }
  done
  while compgen -G "$DIR/pods/*.held" >/dev/null; do
    [[ " $* " == *' --disable-eviction '* ]] && { rm "$DIR"/pods/*.held; for p in "$DIR"/pods/*; do [[ $(<"$p") == DaemonSet, ]] || rm "$p"; done; break; }
    echo "error when evicting pods (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget."
    ((SECONDS < end)) || { echo "error: unable to drain node, global timeout reached"; return 1; }
    sleep 0.2
  done
}
kube() {
  echo "$*" >>"$DIR/calls"
  case "$*" in
  "get node n --ignore-not-found -o name") [[ ! -s $DIR/status ]] || echo node/n ;;
  "get node n -o jsonpath"*) cat "$DIR/status" ;;
  "get pods -A --field-selector spec.nodeName=n"*)
    for p in "$DIR"/pods/*; do
      [[ -e $p && $p != *.held ]] || continue
      p=${p##*/}
      echo "${p%%.*} ${p#*.} - Running $(<"$DIR/pods/$p")"
    done ;;
  "-n x get pods -l app=web --field-selector spec.nodeName=n -o name") echo pod/web ;;
  "get poddisruptionbudgets"*) echo "x guard app=web," ;;
  "get volumeattachments"*) cat "$DIR/volumes" ;;
  "-n x delete pod "*) rm -f "$DIR/pods/x.$5" "$DIR/pods/x.$5.held" ;;
  esac
}
`

func drainedNode(t *testing.T, status string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "pods"), 0o755))
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "status"), []byte(status), 0o600))
	return dir
}

func TestDrainNode_movesPodsAsItsPolicySays(t *testing.T) {
	t.Parallel()
	web := map[string]string{
		"volumes": "", "pods/x.daemon": "DaemonSet,", "pods/x.free": "ReplicaSet,",
		"pods/x.web": "ReplicaSet,", "pods/x.web.held": "",
	}
	for name, c := range map[string]struct {
		status, policy string
		files          map[string]string
		code           int
		says, left     string
	}{
		"nothing holds them": {
			"True", "fail",
			map[string]string{"volumes": "", "pods/x.free": "ReplicaSet,"},
			0,
			"n is drained", "",
		},
		"a budget, fail": {
			"True", "fail", web, 1,
			"windlass: after 1 s these pods are still on n: x/web (the PodDisruptionBudget guard lets no pod go). " +
				"Make room for them or ease the budgets, then retry; or set drain_policy to force", "x.daemon x.web x.web.held",
		},
		"a budget, force": {
			"True", "force", web, 0, "drain_policy is force: they are deleted\nwindlass-result: forced=yes", "x.daemon",
		},
		"the node is down": {"Unknown", "fail", web, 0, "windlass-result: forced=yes", "x.daemon"},
		"the server is off": {
			"True", "fail off", web, 0,
			"n is not ready, its server is SHUTOFF: its pods are deleted without waiting for it", "x.daemon",
		},
		"the node is unknown": {"", "fail", web, 0, "windlass-result: absent=yes", "x.daemon x.free x.web x.web.held"},
		"a volume stays there": {
			"True", "fail",
			map[string]string{"volumes": "m pv-0\nn pv-1\nn an inline volume\n"},
			0,
			"after 1 s these volumes are still attached to n, going on: pv-1 an inline volume", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, dir := newNode(t), drainedNode(t, c.status, c.files)
			body := library(t, n.root, "lib-base", "lib-kube", "lib-leave") + kubectlStub + "\nLEAVING=n ADDRESS=10.0.0.1 " +
				"DRAIN_FOR=1 DETACH_FOR=1 POLICY=" + strings.Replace(c.policy, " off", " OFF=SHUTOFF", 1) + "\n" +
				library(t, n.root, "drain-node")
			said, code := shell(t, body, "DIR="+dir)
			assert.Equal(t, c.code, code, said)
			assert.Contains(t, said, c.says)
			pods, err := os.ReadDir(filepath.Join(dir, "pods"))
			require.NoError(t, err)
			var left []string
			for _, pod := range pods {
				left = append(left, pod.Name())
			}
			assert.Equal(t, c.left, strings.Join(left, " "))
			if c.code == 0 {
				again, code := shell(t, body, "DIR="+dir)
				assert.Zero(t, code, again)
			}
		})
	}
}

func TestTellHosts_touchesNoOtherLine(t *testing.T) {
	n := newNode(t)
	file := filepath.Join(n.root, "etc/hosts")
	require.NoError(t, os.WriteFile(file, []byte("127.0.0.1 localhost\n10.0.0.1 theirs\n"), 0o600))
	tell := func(hosts string) string {
		said, code := shell(t, library(t, n.root, "lib-base", "lib-hosts")+"\nHOSTS='"+hosts+"'\n"+library(t, n.root,
			"tell-hosts"))
		require.Zero(t, code, said)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(content)
	}
	const head, begin, end = "127.0.0.1 localhost\n10.0.0.1 theirs\n", "# windlass: nodes of the cluster\n",
		"# windlass: end\n"
	assert.Equal(t, head+begin+"10.0.0.1 a\n10.0.0.10 b\n10.0.0.115 c\n"+end, tell("10.0.0.1 a,10.0.0.10 b,10.0.0.115 c"))
	assert.Equal(t, head+begin+"10.0.0.10 b\n10.0.0.115 c\n"+end, tell("10.0.0.10 b,10.0.0.115 c"),
		"10.0.0.1 is no part of 10.0.0.10")
	before, err := os.Stat(file)
	require.NoError(t, err)
	tell("10.0.0.10 b,10.0.0.115 c")
	after, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, before.ModTime(), after.ModTime(), "the same is not written again")
}

// balancerStub is systemd with HAProxy and keepalived. A reload changes HAProxy's worker processes, but never the
// master processes.
const balancerStub = `
mkdir -p "$DIR"
read_inputs() { printf '%s\n' "$HAPROXY" >"$SCRATCH/in.haproxy"; echo "vrrp $HAPROXY" >"$SCRATCH/in.keepalived"; }
haproxy() { :; }
haproxy_workers() { cat "$DIR/worker"; }
systemctl() {
  case "$1" in
  is-active) [[ -e $DIR/${3:-$2} ]] ;;
  esac
}
service() {
  echo "$1 $2"
  [[ "$1 $2" != "${CUT:-}" ]] || exit 143
  : >"$DIR/$2"
  [[ "$1 $2" != "reload haproxy" || -n ${DEAF:-} ]] || echo "$RANDOM$RANDOM" >"$DIR/worker"
}
`

func TestConfigureLoadBalancer_reloadsAndMakesUpForAReloadThatWasCutShort(t *testing.T) {
	n := newNode(t)
	dir := filepath.Join(n.root, "balancer")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "worker"), []byte("1\n"), 0o600))
	script := strings.ReplaceAll(library(t, n.root, "lib-haproxy")+library(t, n.root, "configure-load-balancer"), "/usr/local/sbin/windlass-check-port",
		n.root+"/check-port")
	// The functions of the script come first, then the stub replaces some of them, then the script's steps run.
	functions, steps, found := strings.Cut(script, "\nread_inputs\n")
	require.True(t, found)
	functions = strings.Replace(functions, "exec timeout 2 bash -c \"exec 3<>/dev/tcp/127.0.0.1/$1\" 2>/dev/null", "exit 0", 1)
	run := func(config string, env ...string) (string, int) {
		return shell(t, library(t, n.root, "lib-base")+functions+balancerStub+"\nread_inputs\n"+steps,
			append(env, "DIR="+dir, "HAPROXY=    server "+config+" 10.0.0.1:6443", "PORT=16443", "TIMEOUT=1", "SERVES=no")...)
	}
	said, code := run("a")
	require.Zero(t, code, said)
	assert.NotContains(t, said, "reload")
	assert.Contains(t, said, "HAProxy sends to a at 10.0.0.1:6443")
	said, _ = run("b")
	assert.Contains(t, said, "reload haproxy")
	assert.Contains(t, said, "reload keepalived", "a restart would move the virtual IP")
	said, _ = run("b")
	assert.NotContains(t, said, "reload")
	for _, cut := range []string{"reload haproxy", "reload keepalived"} {
		_, code = run("after "+cut, "CUT="+cut)
		require.NotZero(t, code)
		said, code = run("after " + cut)
		require.Zero(t, code, said)
		assert.Contains(t, said, cut, "the file is there, but the service has not read it")
	}
	said, code = run("deaf", "DEAF=yes")
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "HAProxy goes on with its old configuration")
}

// TestEtcd_isAskedWhereKubeadmLetsItListen checks the node's own member of etcd, which listens on the loopback address of
// the node's family only.
func TestEtcd_isAskedWhereKubeadmLetsItListen(t *testing.T) {
	n := newNode(t)
	for address, url := range map[string]string{
		"10.0.0.1": "https://127.0.0.1:2379", "fd00::11": "https://[::1]:2379",
	} {
		said, code := shell(t, library(t, n.root, "lib-base", "lib-kube")+
			"\netcdctl() { printf '%s\\n' \"$@\"; }\nNODE_NAME=n ADDRESS="+address+"\netcd member list\n")
		assert.Zero(t, code, said)
		assert.Contains(t, said, "--endpoints\n"+url+"\n")
	}
}

// TestLeaderless_asksEtcdWhereItTellsItsHealth has an etcd without a leader on each loopback address.
func TestLeaderless_asksEtcdWhereItTellsItsHealth(t *testing.T) {
	n := newNode(t)
	for address, loopback := range map[string]string{"10.0.0.1": "127.0.0.1", "fd00::11": "::1"} {
		etcd := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"health":"false"}`))
		}))
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(loopback, "0"))
		require.NoError(t, err)
		_ = etcd.Listener.Close()
		etcd.Listener = listener
		etcd.Start()
		t.Cleanup(etcd.Close)
		_, port, err := net.SplitHostPort(listener.Addr().String())
		require.NoError(t, err)
		body := strings.ReplaceAll(library(t, n.root, "lib-base", "lib-kube", "lib-etcd"), "/2381", "/"+port)
		said, code := shell(t, body+"\nADDRESS="+address+"\nleaderless\n")
		assert.Zero(t, code, said)
	}
}
