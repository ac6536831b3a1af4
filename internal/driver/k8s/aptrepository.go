package k8s

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// AptRepository is the source of Kubernetes packages when the image lacks them.
type AptRepository struct {
	// URL is the root of the repository.
	URL       string `json:"url" param:"required=it is the URL of the repository's root; is=apt URL"`
	Suite     string `json:"suite,omitempty" param:"default=/; is=apt suite"`
	Component string `json:"component,omitempty" param:"is=apt component"`
	// KeyPath is an armored key, a file in the package. Trusted is for mirrors inside the cloud, which have no signature.
	KeyPath string `json:"key_path,omitempty" param:"is=package path"`
	Trusted bool   `json:"trusted,omitempty"`
	// Version is the exact version of kubeadm, kubelet and kubectl, such as "1.34.4-1.1".
	Version string `json:"version,omitempty" param:"is=apt version"`
}

var aptPattern = regexp.MustCompile(`^[A-Za-z0-9.~+:/_-]+$`)

// Problems lists mistakes that apt could not work with, each under the JSON name of the member. It does not check
// whether there must be a key.
func (a AptRepository) Problems() []lcm.Problem {
	found := Manner.Check("", a)
	for i := range found {
		found[i].Path = strings.TrimPrefix(found[i].Path, ".")
	}
	return found
}

// CheckMembers implements params.Checker.
func (a AptRepository) CheckMembers(wrong params.Wrong) {
	switch flat := a.Suite == "" || strings.HasSuffix(a.Suite, "/"); {
	case flat && a.Component != "":
		wrong("component", `must not be there when the suite ends with "/": such a repository has no components`)
	case !flat && a.Component == "" && aptPattern.MatchString(a.Suite):
		wrong("component", `is missing: only a suite that ends with "/" has none`)
	}
}

// aptURLProblem says why apt could not use the root of a repository, "" when it could.
func aptURLProblem(root string) string {
	u, err := url.Parse(root)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		!strings.ContainsAny(root, " \t\r\n'\"[]") {
		return ""
	}
	return "must be an http or https URL without a password"
}

var (
	proxyPattern   = regexp.MustCompile("^https?://[^\\s[:cntrl:]'\"\\\\;{}$`/][^\\s[:cntrl:]'\"\\\\;{}$`]*$")
	noProxyPattern = regexp.MustCompile(`^[A-Za-z0-9.*_:/\[\]-]+$`)
)

// IsProxyURL reports whether v is a proxy as apt and containerd take it, and nothing more: it goes into their
// configuration. It does not check the port: Tacker's own samples have "port1" there.
func IsProxyURL(v string) bool { return proxyPattern.MatchString(v) }

// IsNoProxy reports whether v lists hosts without a proxy, separated by commas: names, domains, addresses or networks,
// with or without a port. It goes into the environment of services.
func IsNoProxy(v string) bool {
	for entry := range strings.SplitSeq(v, ",") {
		if entry = strings.Trim(entry, " "); entry != "" && !noProxyPattern.MatchString(entry) {
			return false
		}
	}
	return true
}
