package k8s

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// PodNetwork is the operator's default (kubernetes.podNetwork): the pod network of clusters whose request names none.
type PodNetwork struct {
	// From is a file on the worker's host, "image:" and a file in the image of the control planes, a URL, or
	// NoPodNetwork. The file is a manifest, or the archive of a Helm chart. "" means that there is no default.
	From string
	// ValuesFile is a file on the worker's host with the values of the chart, as YAML; "" leaves the chart's own values.
	ValuesFile string
}

// NoPodNetwork says that Windlass applies nothing: the nodes' image or somebody else makes the pod network.
const NoPodNetwork = "none"

// inImage is the beginning of a PodNetwork.From that is a file of the nodes.
const inImage = "image:"

// InImage is the file on a control plane that has the pod network; false when it is not there.
func (p PodNetwork) InImage() (file string, ok bool) { return strings.CutPrefix(p.From, inImage) }

// URL tells whether the pod network has to be fetched.
func (p PodNetwork) URL() bool { return strings.Contains(p.From, "://") }

// OnHost is the file on the worker's host that has the pod network; false when it is not there.
func (p PodNetwork) OnHost() (file string, ok bool) {
	_, image := p.InImage()
	return p.From, p.From != "" && p.From != NoPodNetwork && !image && !p.URL()
}

// Problem completes the sentence "kubernetes.podNetwork ..."; "" when there is no mistake.
func (p PodNetwork) Problem() string {
	if file, ok := p.InImage(); ok && (!path.IsAbs(file) || strings.ContainsAny(file, "\x00\n")) {
		return "must be image: and an absolute path in the nodes' image, such as image:/usr/share/pod-network.yaml"
	}
	if !p.URL() {
		return ""
	}
	u, err := url.Parse(p.From)
	if err != nil || u.Host == "" || u.User != nil || !slices.Contains([]string{"https", "http", "oci"}, u.Scheme) {
		return "must be a file, image:FILE, none, or a URL such as https://sources.example/pod-network.yaml or " +
			"oci://registry.example/charts/pod-network:1.2.3"
	}
	return ""
}
