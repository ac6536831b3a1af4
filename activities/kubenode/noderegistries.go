package kubenode

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// nodeRegistries is the node's present configuration for registries.
type nodeRegistries struct {
	node        lcm.Node
	state       registriesState
	credentials []byte            // kubelet's file
	docker      []byte            // Docker's configuration
	proxies     map[string]string // by scheme
	noProxy     string
	masks       []string // of the proxies
}

// registriesState records what Windlass itself has set on a node, so that it removes nothing else.
type registriesState struct {
	Servers []string `json:"servers"`
	// Insecure are the servers that Windlass added to Docker's list, Kubelet the servers in kubelet's file.
	Insecure []string `json:"insecure,omitempty"`
	Kubelet  []string `json:"kubelet,omitempty"`
	// Docker are the servers whose CA certificates Windlass gave to Docker. It is nil in the state of an earlier release.
	Docker []string `json:"docker"`
}

// dockers returns the servers that may have Windlass's certificates in Docker's directory.
func (s registriesState) dockers() []string {
	if s.Docker == nil {
		return s.Servers
	}
	return s.Docker
}

// bare is the state of a node that has no Docker.
func (s registriesState) bare() registriesState {
	s.Insecure, s.Docker = nil, []string{}
	return s
}

// with returns the union of both states: during the change, Windlass may own the entries of either.
func (s registriesState) with(after registriesState) registriesState {
	return registriesState{
		Servers: union(s.Servers, after.Servers), Insecure: union(s.Insecure, after.Insecure),
		Kubelet: union(s.Kubelet, after.Kubelet), Docker: union(append([]string{}, s.dockers()...), after.dockers()),
	}
}

// registriesOn reads the node's configuration files; others may have written to them, too.
func registriesOn(ctx context.Context, host reach.Host, node lcm.Node) (*nodeRegistries, error) {
	f := &nodeRegistries{node: node, proxies: map[string]string{}}
	var state, proxy []byte
	for path, to := range map[string]*[]byte{
		scripts.RegistriesState: &state, scripts.KubeletCredentials: &f.credentials, scripts.DockerConfiguration: &f.docker,
		scripts.ContainerdProxy: &proxy,
	} {
		content, err := host.Get(ctx, path, reach.MaxFile)
		if err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return nil, err
		}
		*to = content
	}
	if len(state) > 0 && json.Unmarshal(state, &f.state) != nil {
		return nil, f.malformed(scripts.RegistriesState)
	}
	isNoServer := func(s string) bool { return k8s.RegistryServerProblem(s) != "" } // they become paths
	f.state.Servers, f.state.Docker = slices.DeleteFunc(f.state.Servers, isNoServer),
		slices.DeleteFunc(f.state.Docker, isNoServer)
	f.readProxy(string(proxy))
	return f, nil
}

func (f *nodeRegistries) malformed(path string) error {
	return lcm.Errorf(lcm.KindBroken, "%s: Windlass cannot read its file %s; correct or remove the file, then retry.",
		f.node.Name, path)
}

// readProxy reads the proxy from containerd's environment.
func (f *nodeRegistries) readProxy(environment string) {
	for line := range strings.Lines(environment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "HTTP_PROXY", "HTTPS_PROXY":
			f.proxies[strings.ToLower(strings.TrimSuffix(key, "_PROXY"))] = value
			f.masks = append(f.masks, reach.Userinfo(value)...)
		case "NO_PROXY":
			f.noProxy = value
		}
	}
}

// proxyFor returns containerd's proxy for a registry, nil for none.
func (f *nodeRegistries) proxyFor(registry string) *url.URL {
	to, err := url.Parse(registry)
	if err != nil || f.proxies[to.Scheme] == "" || direct(f.noProxy, to.Hostname()) {
		return nil
	}
	proxy, err := url.Parse(f.proxies[to.Scheme])
	if err != nil {
		return nil
	}
	return proxy
}

// direct tells whether NO_PROXY contains the host, by Go's rules: as an address, a network, or a domain with its
// subdomains.
func direct(noProxy, host string) bool {
	addr, err := netip.ParseAddr(host)
	isAddr := err == nil
	if host == "localhost" || isAddr && addr.IsLoopback() {
		return true
	}
	for entry := range strings.SplitSeq(noProxy, ",") {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if name, _, err := net.SplitHostPort(entry); err == nil {
			entry = name
		}
		prefix, err := netip.ParsePrefix(entry)
		domain := strings.TrimPrefix(strings.TrimPrefix(entry, "*"), ".")
		switch {
		case entry == "":
		case entry == "*", entry == strings.ToLower(host), err == nil && isAddr && prefix.Contains(addr):
			return true
		case !isAddr && strings.HasSuffix(strings.ToLower(host), "."+domain):
			return true
		}
	}
	return false
}

// gone returns the servers that Windlass has set and the request no longer names.
func (f *nodeRegistries) gone(registries []openRegistry) (out []string) {
	for _, server := range f.state.Servers {
		if !slices.ContainsFunc(registries, func(r openRegistry) bool { return r.Server == server }) {
			out = append(out, server)
		}
	}
	return out
}

// withCA returns the servers that have a CA in the request.
func withCA(registries []openRegistry) []string {
	out := []string{}
	for _, r := range registries {
		if r.ca != "" {
			out = append(out, r.Server)
		}
	}
	return out
}

// dockerGone returns the servers whose certificates Windlass must remove from Docker.
func (f *nodeRegistries) dockerGone(registries []openRegistry) []string {
	stay := withCA(registries)
	return slices.DeleteFunc(slices.Clone(f.state.dockers()), func(s string) bool { return slices.Contains(stay, s) })
}

// files returns the inputs with the shared files: they hold several registries, and entries of others.
func (f *nodeRegistries) files(registries []openRegistry) ([]scripts.Input, error) {
	after := registriesState{Docker: withCA(registries)}
	for _, r := range registries {
		after.Servers = append(after.Servers, r.Server)
	}
	credentials, err := f.kubeletFile(registries, &after)
	if err != nil {
		return nil, err
	}
	docker, err := f.dockerFile(registries, &after)
	if err != nil {
		return nil, err
	}
	// While the script runs, both the old and the new entries belong to Windlass.
	return []scripts.Input{
		{Name: "credentials", Value: credentials},
		{Name: "docker", Value: docker},
		{Name: "before", Value: f.state.with(after).text()},
		{Name: "after", Value: after.text()},
		{Name: "before.bare", Value: f.state.with(after.bare()).text()},
		{Name: "after.bare", Value: after.bare().text()},
	}, nil
}

func (s registriesState) text() string {
	doc, _ := json.Marshal(s) // cannot fail
	return string(doc) + "\n"
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// object reads a JSON object. An empty document is an empty object.
func object(doc []byte) (map[string]json.RawMessage, bool) {
	out := map[string]json.RawMessage{}
	if len(doc) > 0 && (json.Unmarshal(doc, &out) != nil || out == nil) {
		return nil, false
	}
	return out, true
}

// kubeletFile returns kubelet's credential file with the present registries and without former ones; "" when it would
// be empty.
func (f *nodeRegistries) kubeletFile(registries []openRegistry, after *registriesState) (string, error) {
	doc, ok := object(f.credentials)
	auths, alsoOK := object(doc["auths"])
	if !ok || !alsoOK {
		return "", f.malformed(scripts.KubeletCredentials)
	}
	for _, key := range f.state.Kubelet {
		delete(auths, key)
	}
	for _, r := range registries {
		if r.Username == "" {
			continue
		}
		entry, err := json.Marshal(map[string]string{"auth": base64.StdEncoding.EncodeToString([]byte(r.Username + ":" +
			r.password))})
		if err != nil {
			return "", err
		}
		auths[r.AuthKey()] = entry
		after.Kubelet = append(after.Kubelet, r.AuthKey())
	}
	delete(doc, "auths")
	if len(doc)+len(auths) == 0 {
		return "", nil
	}
	return withMember(doc, "auths", auths)
}

// dockerFile returns Docker's configuration with the registries to ask over HTTP; "" when no change is necessary.
func (f *nodeRegistries) dockerFile(registries []openRegistry, after *registriesState) (string, error) {
	const member = "insecure-registries"
	var list []string
	doc, ok := object(f.docker)
	if !ok || len(doc[member]) > 0 && json.Unmarshal(doc[member], &list) != nil {
		return "", f.malformed(scripts.DockerConfiguration)
	}
	had := slices.Clone(list)
	list = slices.DeleteFunc(list, func(s string) bool { return slices.Contains(f.state.Insecure, s) })
	for _, r := range registries {
		if !r.HTTPS() && !slices.Contains(list, r.Server) {
			list, after.Insecure = append(list, r.Server), append(after.Insecure, r.Server)
		}
	}
	if slices.Equal(had, list) {
		return "", nil
	}
	// Keep an empty list: if the member is missing at a reload, Docker keeps the old list.
	return withMember(doc, member, list)
}

// withMember returns a document with one more member, indented for people.
func withMember(doc map[string]json.RawMessage, key string, value any) (string, error) {
	member, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	doc[key] = member
	text, err := json.MarshalIndent(doc, "", "  ")
	return string(text) + "\n", err
}
