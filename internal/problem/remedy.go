package problem

import (
	"regexp"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// known are texts of programs that Windlass runs on nodes, or of APIs that it calls, and what mends their cause. The
// first that matches counts. Texts of kubeadm are those of its preflight checks ("[ERROR Port-6443]"). Windlass's own
// scripts name the remedy in their message if it depends on the case.
var known = []struct {
	text   *regexp.Regexp
	remedy string
}{
	{
		re(`FileContent--proc-sys-net-\S*|bridge-nf-call-iptables|ip_forward`),
		"Look at what resets this kernel setting on the node after Windlass has set it: a file in /etc/sysctl.d, or " +
			"another program. A read-only /proc/sys in a container has the same effect.",
	},
	{
		re(`\[ERROR Port-|[Pp]ort \d+ is in use|address already in use`),
		"Another program listens on this port of the node: find it with 'ss -tlnp', stop and disable it, or use an image " +
			"without it.",
	},
	{
		re(`\[ERROR (FileAvailable|DirAvailable)-|already exists on this node`),
		"The node was in a cluster before: heal its VNFC, which makes a new server, or use an image on which kubeadm " +
			"never ran.",
	},
	{re(`\[ERROR Swap\]|swap is (on|supported)`), "Switch swap off in the image, in /etc/fstab and for systemd."},
	{
		re(`\[ERROR (NumCPU|Mem)\]|available CPUs|the system RAM`),
		"Use a flavor with at least 2 CPUs and 1700 MiB of memory for control planes.",
	},
	{
		re(`\[ERROR CRI\]|container runtime is not running|containerd\.sock`),
		"Look at 'journalctl -u containerd' on the node: the container runtime must run before kubeadm.",
	},
	{
		re(`\[ERROR FileExisting-|executable file not found|command not found|not found in system path`),
		"Install the missing program in the nodes' image, or name an apt_repository that has it.",
	},
	{
		re(`\[ERROR (KubeletVersion|KubernetesVersion)\]|version skew`),
		"Use one version of kubeadm, kubelet and kubectl for all nodes: correct kubernetes_version or the image.",
	},
	{
		re(`\[ERROR ExternalEtcdVersion\]`),
		"Use an etcd of a version that this kubeadm takes.",
	},
	{
		re(`\[ERROR ImagePull\]|ErrImagePull|ImagePullBackOff|failed to pull image`),
		"See that the node reaches the registry of the image: connect a registry (configurable property registries), set " +
			"a proxy, or load the images into the nodes' image.",
	},
	{
		re(`\[ERROR SystemVerification\]|\[ERROR Hostname\]|\[ERROR IsPrivilegedUser\]|preflight checks`),
		"Mend what kubeadm names in the nodes' image, or list the check in ignore_preflight_errors if it does not matter.",
	},
	{
		re(`certificate has expired|not yet valid|clock skew`),
		"Compare the clocks of the nodes, and let them follow one time server. If the clocks are right, renew the " +
			"certificate.",
	},
	{
		re(`certificate signed by unknown authority|self-signed certificate|unable to get local issuer`),
		"Give the CA of the other side: ca_cert_file for a registry, ssl_ca_cert for a VIM, the CA of the apt repository.",
	},
	{
		re(`[Cc]ould not resolve|Temporary failure in name resolution|no such host`),
		"See that the node's DNS servers know this name: correct the subnet's dns_nameservers, or use an address.",
	},
	{
		re(`Unable to locate package|has no installation candidate|has no package`),
		"Name a repository that has the package (apt_repository), or install it in the nodes' image.",
	},
	{
		re(`NO_PUBKEY|not signed|EXPKEYSIG`),
		"Give the repository's present key in apt_repository.",
	},
	{re(`[Nn]o space left on device`), "Make room on the disk of the node, or use a flavor or volume with more room."},
	{re(`killed by signal 9|out of memory|OOMKilled`), "Use a flavor with more memory."},
	{
		re(`mount\.nfs.*(access denied|not permitted)`),
		"Correct export_to, so that it has the network of this node.",
	},
	{
		re(`sudo: a (terminal|password) is required|cannot become root|is not in the sudoers file`),
		"Let the node's user become root with sudo, with the password of the request or without any.",
	},
	{
		re(`lost its quorum|would lose its quorum|etcdserver: (no leader|request timed out)`),
		"Bring back control planes until more than half of them work; else heal the entire VNF.",
	},
	{
		re(`[Qq]uota exceeded|Quota exceeded|exceeds allowed`),
		"Raise the quota of the project, or remove what it does not need.",
	},
	{
		re(`[Nn]o valid host`),
		"See that a host of the cloud has room for this flavor, zone and server group.",
	},
}

func re(text string) *regexp.Regexp { return regexp.MustCompile(text) }

// ofKind is what helps with errors of a kind that nothing more is known of.
var ofKind = map[lcm.ErrorKind]string{
	lcm.KindInvalid:     "Correct the request, the package or the setting that the error names.",
	lcm.KindNotFound:    "Make what is missing again, or correct its name.",
	lcm.KindConflict:    "End the other operation, or free the name that the error says.",
	lcm.KindDenied:      "Correct the user, the password or the rights that the error names.",
	lcm.KindExhausted:   "Make room: a quota, a disk, or the hosts of the cloud are full.",
	lcm.KindUnavailable: "See that the other side runs, and that the worker reaches it.",
	lcm.KindBroken:      "Read the output of the step for the cause, and mend it.",
	lcm.KindBug:         "Report it, with the worker's log of this operation.",
}

// mostSearched bounds how much of an error is searched for known texts.
const mostSearched = 16 << 10

// RemedyOf says what mends the cause of an error. It does not say how the operation goes on then.
func RemedyOf(e *lcm.Error) string {
	if e.Cancelled != "" {
		return "" // nothing is broken
	}
	text := lcm.Cut(e.Sentence(), mostSearched)
	for _, k := range known {
		if k.text.MatchString(text) {
			return k.remedy
		}
	}
	return ofKind[e.Kind]
}
