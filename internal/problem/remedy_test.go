package problem_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
)

// TestRemedyOf_knowsWhatProgramsSay has messages as kubeadm, apt, mount, sudo and others print them.
func TestRemedyOf_knowsWhatProgramsSay(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"cp-1: kubeadm init failed: [ERROR FileContent--proc-sys-net-ipv4-ip_forward]: /proc/sys/net/ipv4/ip_forward " +
			"contents are not set to 1": "kernel setting",
		"cp-1: kubeadm init failed: [ERROR Port-6443]: Port 6443 is in use":                                "ss -tlnp",
		"w-1: kubeadm join failed: [ERROR FileAvailable--etc-kubernetes-kubelet.conf]: already exists":     "makes a new server",
		"cp-1: kubeadm init failed: [ERROR DirAvailable--var-lib-etcd]: /var/lib/etcd is not empty":        "makes a new server",
		"cp-1: kubeadm init failed: [ERROR Swap]: swap is supported for cgroup v2 only":                    "Switch swap off",
		"cp-1: kubeadm init failed: [ERROR NumCPU]: the number of available CPUs 1 is less than 2":         "2 CPUs",
		"w-1: kubeadm join failed: [ERROR CRI]: container runtime is not running":                          "journalctl -u containerd",
		"w-1: kubeadm join failed: [ERROR FileExisting-conntrack]: conntrack not found in system path":     "missing program",
		"w-1: kubeadm join failed: [ERROR KubeletVersion]: the kubelet version is higher":                  "one version",
		"cp-1: kubeadm init failed: [ERROR ImagePull]: failed to pull image registry/pause:3.10":           "configurable property registries",
		"cp-1: kubeadm init failed: [ERROR SystemVerification]: missing cgroups: memory":                   "ignore_preflight_errors",
		"w-1: x509: certificate has expired or is not yet valid: current time is before":                   "one time server",
		"w-1: x509: certificate signed by unknown authority":                                               "Give the CA",
		"w-1: apt-get failed: Could not resolve 'mirror.example.net'":                                      "dns_nameservers",
		"w-1: apt-get failed: E: Unable to locate package kubeadm":                                         "repository that has the package",
		"w-1: apt-get failed: The following signatures couldn't be verified: NO_PUBKEY 234654DA9A296436":   "present key",
		"w-1: apt-get failed: No space left on device":                                                     "Make room on the disk",
		"w-1: kubeadm join failed: it was killed by signal 9; did the node run out of memory?":             "more memory",
		"w-1: mount.nfs: access denied by server while mounting 10.0.0.9:/srv/nfs":                         "export_to",
		"cp-1: sudo: a password is required":                                                               "become root",
		"cp-1: etcd has lost its quorum: 1 of 3 members work and 2 must":                                   "more than half",
		"The stack cannot be created: Quota exceeded for instances: Requested 1, but already used 10":      "Raise the quota",
		"The stack cannot be created: No valid host was found. There are not enough hosts available":       "room for this flavor",
		"cp-1: kubeadm init failed: [ERROR ExternalEtcdVersion]: only supports external etcd version >= 3": "an etcd of a version",
	} {
		assert.Contains(t, problem.RemedyOf(lcm.Errorf(lcm.KindBroken, "%s", message)), want, message)
	}
}

func TestRemedyOf_hasAWordForEveryKind(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, kind := range []lcm.ErrorKind{
		lcm.KindInvalid, lcm.KindNotFound, lcm.KindConflict, lcm.KindDenied, lcm.KindExhausted, lcm.KindUnavailable,
		lcm.KindBroken, lcm.KindBug,
	} {
		remedy := problem.RemedyOf(lcm.Errorf(kind, "Something that nobody has seen before."))
		require.NotEmpty(t, remedy, kind)
		require.False(t, said[remedy], remedy)
		said[remedy] = true
	}
	require.Empty(t, problem.RemedyOf(lcm.Cancelled(lcm.Forceful)), "nothing is broken")
}

func TestOfStep_namesTheStepWhereItHasFailed(t *testing.T) {
	t.Parallel()
	e := lcm.Errorf(lcm.KindBroken, "worker-1: exit status 1")
	require.Equal(t, "Join the workers", problem.OfStep(e, lcm.FailedTemp, "Join the workers").Step)
	require.Empty(t, problem.OfStep(e, lcm.RolledBack, "Undo: Create the infrastructure").Step)
	require.Nil(t, problem.OfStep(nil, lcm.Processing, "Join the workers"))
}
