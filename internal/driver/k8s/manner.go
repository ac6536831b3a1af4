package k8s

import (
	"fmt"
	"net/netip"
	"regexp"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// Manner reads the parameters of drivers as Tacker's clients write them.
var Manner = lcm.Tackers.With(map[string]params.Check{
	"apt component":      params.Matches(aptPattern, "the name of a component"),
	"apt suite":          params.Matches(aptPattern, "the name of a suite"),
	"apt URL":            params.Of(aptURLProblem),
	"apt version":        params.Matches(aptPattern, `the version of a package, such as "1.34.4-1.1"`),
	"connection type":    params.Of(connectionTypeProblem),
	"directory":          params.Of(directoryProblem),
	"host":               params.Of(hostProblem),
	"image":              params.Matches(imagePattern, `the name of an image, such as "`+exampleImage+`"`),
	"Kubernetes release": params.Matches(releasePattern, `a release such as "1.34.4"`),
	"list of hosts":      params.Of(noProxyProblem),
	"load balancer port": params.Of(frontPortProblem),
	"mount point":        params.Of(mountProblem),
	"network":            params.Of(networkProblem),
	"network or address": params.Of(exportProblem),
	"package path":       params.Of(packagePathProblem),
	"password for HTTP":  params.Of(httpPasswordProblem),
	"preflight check":    params.Matches(checkPattern, `the name of a kubeadm check, such as "NumCPU"`),
	"proxy URL":          params.Of(proxyProblem),
	"registry":           params.Of(RegistryServerProblem),
	"StorageClass name":  params.Matches(classPattern, "at most 40 small letters, digits and dashes"),
	"timeout":            params.Of(timeoutProblem),
	"user name for HTTP": params.Of(httpUserProblem),
})

var (
	releasePattern = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)
	checkPattern   = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	imagePattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)
)

// exampleImage is the name of an image as its registry and its runtime know it.
const exampleImage = DockerHub + "/library/registry:2"

func networkProblem(cidr string) string {
	if _, err := netip.ParsePrefix(cidr); err != nil {
		return fmt.Sprintf("must be a network such as 10.10.0.0/24, not %q", cidr)
	}
	return ""
}

// packagePathProblem refuses paths that would leave the package.
func packagePathProblem(path string) string {
	if !LocalPath(path) {
		return fmt.Sprintf("%q leaves the package; give a path inside it", path)
	}
	return ""
}

// proxyProblem cannot check a sealed URL; the step that uses the URL checks it.
func proxyProblem(proxy lcm.Secret) string {
	if proxy.Clear != "" && !IsProxyURL(proxy.Clear) {
		return "must be a URL like http://user:password@proxy.example:3128"
	}
	return ""
}

func noProxyProblem(list string) string {
	if !IsNoProxy(list) {
		return "must list hosts, domains, addresses and networks, separated by commas, such as 10.0.0.0/8,.example.com"
	}
	return ""
}

// timeoutProblem bounds a limit in seconds: activities on machines end after three hours, whatever the request says.
func timeoutProblem(seconds int) string {
	const longest = 2 * 60 * 60
	if seconds < 1 || seconds > longest {
		return fmt.Sprintf("must be between 1 and %d seconds, not %d", longest, seconds)
	}
	return ""
}

// frontPortProblem refuses ports that HAProxy cannot use, because it runs on the control planes themselves.
func frontPortProblem(port int) string {
	taken := map[int]string{
		22: "SSH", APIServerPort: "the API server", EtcdClientPort: "etcd", 2380: "etcd", 10250: "kubelet",
		10256: "kube-proxy", 10257: "the controller manager", 10259: "the scheduler",
	}
	if by := taken[port]; by != "" {
		return fmt.Sprintf("%d is the port of %s on the same VM; use another port", port, by)
	}
	if port < 1 || port > 65535 {
		return fmt.Sprintf("must be between 1 and 65535, not %d", port)
	}
	return ""
}
