package lcm

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// AptRepository is where Kubernetes packages come from when the image lacks them.
type AptRepository struct {
	// URL is the root of the repository.
	URL       string `json:"url"`
	Suite     string `json:"suite,omitempty"`     // default "/"
	Component string `json:"component,omitempty"` // default ""
	KeyPath   string `json:"key_path,omitempty"`  // armored key, a file in the package
	Trusted   bool   `json:"trusted,omitempty"`   // no signature; for mirrors inside the cloud
	Version   string `json:"version,omitempty"`   // e.g. "1.34.4-1.1": exact version of kubeadm, kubelet, kubectl
}

var aptPattern = regexp.MustCompile(`^[A-Za-z0-9.~+:/_-]+$`)

// Problems lists what apt could not work with, each under the JSON name of the member; the key is not looked at.
func (a AptRepository) Problems() []Problem {
	var found []Problem
	add := func(member, detail string) { found = append(found, Problem{Path: member, Detail: detail}) }
	if u, err := url.Parse(a.URL); a.URL == "" {
		add("url", "is missing: it is the root of the repository.")
	} else if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || strings.ContainsAny(a.URL, " \t\r\n'\"[]") {
		add("url", "must be an http or https URL without a password.")
	}
	for _, word := range []struct{ member, value, meaning string }{
		{"suite", a.Suite, "the name of a suite"},
		{"component", a.Component, "the name of a component"},
		{"version", a.Version, `the version of a package, such as "1.34.4-1.1"`},
	} {
		if word.value != "" && !aptPattern.MatchString(word.value) {
			add(word.member, fmt.Sprintf("must be %s, not %q.", word.meaning, word.value))
		}
	}
	switch flat := a.Suite == "" || strings.HasSuffix(a.Suite, "/"); {
	case flat && a.Component != "":
		add("component", `must not be there when the suite ends with "/": such a repository has no components.`)
	case !flat && a.Component == "" && aptPattern.MatchString(a.Suite):
		add("component", `is missing: only a suite that ends with "/" has none.`)
	}
	return found
}

var (
	proxyPattern   = regexp.MustCompile("^https?://[^\\s[:cntrl:]'\"\\\\;{}$`/][^\\s[:cntrl:]'\"\\\\;{}$`]*$")
	noProxyPattern = regexp.MustCompile(`^[A-Za-z0-9.*_:/\[\]-]+$`)
)

// IsProxyURL reports whether v names a proxy as apt and containerd take it, and nothing more: it goes into their
// configuration. Its port is not looked at: Tacker's own samples have "port1" there.
func IsProxyURL(v string) bool { return proxyPattern.MatchString(v) }

// IsNoProxy reports whether v lists what is asked without a proxy, separated by commas: names, domains, addresses, networks,
// with a port or without. It goes into the environment of services.
func IsNoProxy(v string) bool {
	for entry := range strings.SplitSeq(v, ",") {
		if entry = strings.Trim(entry, " "); entry != "" && !noProxyPattern.MatchString(entry) {
			return false
		}
	}
	return true
}

// noProxyProblem says what no_proxy must be.
const noProxyProblem = "must list hosts, domains, addresses and networks, separated by commas, such as 10.0.0.0/8,.example.com."
