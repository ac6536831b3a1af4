package image

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// kubernetesVersion is the newest minor that takes control groups of version 1 and containerd 1.6
	// without a flag.
	kubernetesVersion = "1.34.4"
	suite             = "bookworm"
	// format is part of every hash: raise it when a build changes without its inputs.
	format = "1"
)

// packages of the node. They include what the kube-proxy image is made of: iptables and conntrack.
var packages = []string{
	"systemd", "systemd-sysv", "dbus", "openssh-server", "sudo", "iproute2", "iputils-ping", "procps", "kmod",
	"util-linux", "mount", "e2fsprogs", "curl", "ca-certificates", "python3", "iptables", "nftables", "ebtables",
	"ethtool", "conntrack", "socat", "containerd", "runc", "containernetworking-plugins", "haproxy", "keepalived",
}

// servicePackages are what storage servers and registries have besides: an NFS server in user space, because the host's
// kernel may have none, a container engine and a registry.
var servicePackages = []string{
	"nfs-ganesha", "nfs-ganesha-vfs", "rpcbind", "libnfs-utils", "docker.io", "docker-registry", "apache2-utils",
	"openssl",
}

// ansiblePackages are what an Ansible server has besides: Ansible with Debian's collections, and what playbooks such as
// kubespray's call on their own machine. The last two lines are what kubespray installs on nodes, for those that reach
// no archive of Debian.
var ansiblePackages = []string{
	"ansible", "ansible-core", "openssh-client", "sshpass", "python3-netaddr", "python3-jmespath", "python3-cryptography",
	"python3-ruamel.yaml", "rsync",
	"python3-apt", "gnupg", "apt-transport-https", "software-properties-common", "apparmor", "libseccomp2", "mergerfs",
	"openssl", "unzip", "xfsprogs", "bash-completion", "tar", "ipset", "ipvsadm",
}

// module is a Go module below this directory, or the lab's own, whose programs the image needs.
type module struct {
	name, title string
	dir         string            // in the repository
	programs    map[string]string // file name to package
	sources     []string          // folders of the module with sources of its own
	imports     *regexp.Regexp    // finds what the programs import in go.mod; nil: every line counts
	flags       string            // for the linker
	plain       []string          // packages that are compiled quickly: see gobuild.Build
}

var modules = []module{
	{
		// The NFS provisioner is made of the same clients and informers, so that they are compiled once.
		name: "kubernetes", title: "Kubernetes " + kubernetesVersion, dir: "deployments/lab/image/kubernetes",
		programs: map[string]string{
			"kubeadm": "k8s.io/kubernetes/cmd/kubeadm", "kubelet": "k8s.io/kubernetes/cmd/kubelet",
			"kubectl": "k8s.io/kubernetes/cmd/kubectl", "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
			"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
			"kube-scheduler":          "k8s.io/kubernetes/cmd/kube-scheduler", "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy",
			"nfsprovisioner": "./nfsprovisioner",
		},
		sources: []string{"nfsprovisioner"}, flags: kubernetesFlags(),
		// The last three are large, in versions of their own, and seldom run.
		plain: []string{
			"k8s.io/...", "github.com/google/cel-go/...", "github.com/google/gnostic-models/...", "sigs.k8s.io/kustomize/...",
		},
	},
	{
		// One module, so that they are compiled from the same versions of what they share.
		name: "programs", title: "etcd and CoreDNS", dir: "deployments/lab/image/programs",
		// The plugin of flannel is of the last release of these plugins that had it: its own module cannot be had.
		programs: map[string]string{
			"flannel": "github.com/containernetworking/plugins/plugins/meta/flannel",
			"etcd":    "go.etcd.io/etcd/server/v3", "etcdctl": "go.etcd.io/etcd/etcdctl/v3",
			"coredns": "./coredns",
		},
		sources: []string{"coredns"},
	},
	{
		name: "lab", title: "flannel, pause and NFS client", dir: "deployments/lab",
		programs: map[string]string{
			"flanneld": "./flanneld", "install-conf": "github.com/flannel-io/flannel/cmd/install_conf", "pause": "./pause",
			"mountnfs": "./mountnfs",
		},
		sources: []string{"flanneld", "pause", "mountnfs", "mountnfs/nfs3"},
		plain:   []string{"k8s.io/..."}, // as Windlass itself is compiled, which shares these packages
		imports: regexp.MustCompile(`(?m)^\s+(k8s\.io/(api|apimachinery|client-go)|github\.com/(flannel-io/flannel|hanwen/go-fuse/v2)) v\S+`),
	},
}

// downloads are the programs that kubespray downloads, and no other machine needs: only machines that are offline wait for
// them.
var downloads = module{
	name: "downloads", title: "crictl and etcdutl", dir: "deployments/lab/image/downloads",
	programs: map[string]string{"crictl": "sigs.k8s.io/cri-tools/cmd/crictl", "etcdutl": "go.etcd.io/etcd/etcdutl/v3"},
	plain:    []string{"k8s.io/..."},
}

// kubernetesFlags are what Kubernetes' own build stamps: kubeadm refuses to work without a version.
func kubernetesFlags() string {
	const v = "k8s.io/component-base/version"
	parts := strings.Split(kubernetesVersion, ".")
	return strings.Join([]string{
		"-X " + v + ".gitVersion=v" + kubernetesVersion, "-X " + v + ".gitMajor=" + parts[0], "-X " + v + ".gitMinor=" +
			parts[1],
		"-X " + v + ".gitTreeState=clean", "-X " + v + ".gitCommit=" + strings.Repeat("0", 40), "-X " + v +
			".buildDate=2026-01-01T00:00:00Z",
	}, " ")
}

//go:embed all:node
var nodeFiles embed.FS

//go:embed node-setup.sh
var nodeSetup string

//go:embed preload.sh
var preloadScript string

//go:embed services.sh
var servicesScript string

// recipe names every artefact; a name ends with the hash of all that the artefact is made of.
type recipe struct {
	base, node, images, containerd string
	bin                            map[string]string // by module
	layers                         map[Layer]string
}

func readRecipe(source, mirror string) (recipe, error) {
	r := recipe{bin: map[string]string{}, layers: map[Layer]string{}}
	r.base = named("base", suite, mirror, strings.Join(packages, ","))
	for _, layer := range []Layer{Services, Ansible} {
		r.layers[layer] = named(string(layer), r.base, strings.Join(layers[layer].packages, ","), servicesScript)
	}
	for _, m := range modules {
		inputs, err := m.inputs(source)
		if err != nil {
			return r, err
		}
		r.bin[m.name] = named("bin-"+m.name, append(inputs, m.flags, fmt.Sprint(m.programs))...)
	}
	files, err := embedded(nodeFiles)
	if err != nil {
		return r, err
	}
	r.node = named("node", r.base, r.bin["kubernetes"], r.bin["programs"], r.bin["lab"], files, nodeSetup)
	r.images = named("images", r.base, fmt.Sprint(r.bin))
	r.containerd = named("containerd", r.node, r.images, preloadScript)
	inputs, err := downloads.inputs(source) // after the images, which are made of all programs so far
	if err != nil {
		return r, err
	}
	r.bin[downloads.name] = named("bin-"+downloads.name, append(inputs, fmt.Sprint(downloads.programs))...)
	r.layers[Downloads] = named(string(Downloads), r.base, r.bin["programs"], r.bin[downloads.name])
	return r, nil
}

// inputs of a module's programs: their sources, and the versions of what they import. Of the lab's own module only those
// lines of go.mod count that the programs need, so that no other change makes a new image.
func (m module) inputs(source string) ([]string, error) {
	versions, err := readAll(filepath.Join(source, m.dir, "go.mod"), filepath.Join(source, m.dir, "go.sum"))
	if err != nil {
		return nil, err
	}
	if m.imports != nil {
		versions = m.imports.FindAllString(versions[0], -1)
		for n := range versions {
			versions[n] = strings.TrimSpace(versions[n])
		}
		slices.Sort(versions)
	}
	var files []string
	for _, dir := range m.sources {
		matches, err := filepath.Glob(filepath.Join(source, m.dir, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		files = append(files, slices.DeleteFunc(matches, func(f string) bool { return strings.HasSuffix(f, "_test.go") })...)
	}
	sources, err := readAll(files...)
	return append(versions, sources...), err
}

func readAll(files ...string) ([]string, error) {
	var all []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, string(b))
	}
	return all, nil
}

func embedded(files fs.FS) (string, error) {
	var all strings.Builder
	err := fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, path)
		fmt.Fprintf(&all, "%s\x00%s\x00", path, b)
		return err
	})
	return all.String(), err
}

func named(name string, inputs ...string) string {
	h := sha256.New()
	for _, input := range append([]string{format, name}, inputs...) {
		fmt.Fprintf(h, "%d:%s", len(input), input)
	}
	return name + "-" + hex.EncodeToString(h.Sum(nil))[:12]
}

// findSource finds the repository: the Go modules that are built cannot be embedded.
func findSource(given string) (string, error) {
	starts := []string{given}
	if given == "" {
		cwd, _ := os.Getwd()
		exe, _ := os.Executable()
		starts = []string{cwd, filepath.Dir(exe)}
	}
	for _, start := range starts {
		for dir, err := filepath.Abs(start); err == nil && start != ""; dir = filepath.Dir(dir) {
			b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			if err == nil && strings.HasPrefix(string(b), "module github.com/windlass-nfv/windlass\n") {
				return dir, nil
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", lcm.Errorf(lcm.KindInvalid,
		"The lab builds the node image from Windlass's repository; start it there, or name the repository with --image-source.")
}
