package fake

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/scripts"
)

const (
	registriesBlock = "# windlass: registries"
	blockEnd        = "# windlass: end"
	certsDir        = "/etc/containerd/certs.d/"
	credentialsFile = "/etc/windlass/registry-credentials.json" //nolint:gosec // a file's name
)

func (h *Hypervisor) connectRegistries(_ context.Context, m *Machine, p ScriptParams) Result {
	m.WriteFile(scripts.RegistriesState, []byte(p.Input("before")), 0o644)
	for server := range strings.FieldsSeq(p.Get("GONE")) {
		m.files.remove(certsDir + server)
	}
	for i, server := range strings.Fields(p.Get("SERVERS")) {
		m.put(p, certsDir+server+"/hosts.toml", "hosts."+strconv.Itoa(i), 0o644)
		m.put(p, certsDir+server+"/ca.crt", "ca."+strconv.Itoa(i), 0o644)
	}
	m.writeRegistryHosts(p.Get("REGISTRY_HOSTS"))
	if p.Get("WITH_CREDENTIALS") == "yes" {
		m.put(p, credentialsFile, "credentials", 0o600)
		m.put(p, scripts.KubeletCredentials, "credentials", 0o600)
	} else if _, ours := m.ReadFile(credentialsFile); ours {
		m.put(p, scripts.KubeletCredentials, "credentials", 0o600)
		m.files.remove(credentialsFile)
	}
	m.WriteFile(scripts.RegistriesState, []byte(p.Input("after")), 0o644)
	return Result{}
}

// put writes an input of a script to a file; an empty input removes the file.
func (m *Machine) put(p ScriptParams, path, input string, mode uint32) {
	if content := p.Input(input); content != "" {
		m.WriteFile(path, []byte(content), mode)
		return
	}
	m.files.remove(path)
}

// registries returns the image registries that the machine is configured for.
func (m *Machine) registries() []string {
	var state struct {
		Servers []string `json:"servers"`
	}
	content, _ := m.ReadFile(scripts.RegistriesState)
	_ = json.Unmarshal(content, &state) // usually there is no file
	return state.Servers
}

// splitHosts splits /etc/hosts into the entries of registries and all others.
func (m *Machine) splitHosts() (others, registries []string) {
	content, _ := m.ReadFile("/etc/hosts")
	inside := false
	for line := range strings.Lines(string(content)) {
		switch line = strings.TrimSpace(line); {
		case line == registriesBlock:
			inside = true
		case inside && line == blockEnd:
			inside = false
		case inside:
			registries = append(registries, line)
		case line != "":
			others = append(others, line)
		}
	}
	return others, registries
}

func (m *Machine) writeRegistryHosts(entries string) {
	others, _ := m.splitHosts()
	if entries != "" {
		others = append(others, registriesBlock, strings.ReplaceAll(entries, ",", "\n"), blockEnd)
	}
	m.WriteFile("/etc/hosts", []byte(strings.Join(others, "\n")+"\n"), 0o644)
}

// checkRegistries sends real requests to the registries: a test's registries listen on the host of the fake machines.
func (h *Hypervisor) checkRegistries(ctx context.Context, m *Machine, p ScriptParams) Result {
	urls, manifests := strings.Fields(p.Get("URLS")), strings.Fields(p.Get("MANIFESTS"))
	for i, server := range strings.Fields(p.Get("SERVERS")) {
		ask := registryClient{
			machine: m, url: urls[i], config: p.Input("curl." + strconv.Itoa(i)), ca: p.Input("ca." + strconv.Itoa(i)),
		}
		said := ask.look(ctx, manifests[i])
		p.Print("%s %s", server, said.sentence)
		if said.class != "" {
			p.Result("failure", base64.StdEncoding.EncodeToString([]byte(said.class+"|"+server+"|"+said.sentence)))
		}
		if said.image != "" {
			p.Result("manifest", base64.StdEncoding.EncodeToString([]byte(server+" "+said.image)))
		}
	}
	return Result{}
}

// registryClient does the requests that the real script does with curl.
type registryClient struct {
	machine         *Machine
	url, config, ca string
}

// verdict is the result of check-registries for one registry.
type verdict struct {
	class    string // of the failure; "" without one
	sentence string
	image    string // the image whose manifest was received
}

// look requests the API's root and then a manifest: the one at that path or, for "-", any in the registry's catalog.
func (c registryClient) look(ctx context.Context, manifest string) verdict {
	switch status, _, err := c.get(ctx, "/v2/"); {
	case err != nil:
		return classOf(err)
	case status != http.StatusOK:
		return c.refused(status)
	case manifest != "-":
		return c.lookAtImage(ctx, manifest)
	}
	return c.lookAtAny(ctx)
}

// refused interprets a status other than 200 of the API's root.
func (c registryClient) refused(status int) verdict {
	switch {
	case denies(status) && strings.Contains(c.config, "user = "):
		return verdict{class: "denied", sentence: fmt.Sprintf("refuses the user name or the password (%d); correct them, or "+
			"the registry's user", status)}
	case denies(status):
		return verdict{class: "denied", sentence: fmt.Sprintf("wants a user name and a password (%d), and none are given",
			status)}
	case isNotReady(status):
		return verdict{class: "away", sentence: fmt.Sprintf("is not ready: it answers %d", status)}
	case status == http.StatusBadRequest:
		return verdict{class: "wrong", sentence: `answers 400; does it speak HTTPS, so that its connection_type is "1"?`}
	}
	return verdict{class: "wrong", sentence: fmt.Sprintf("is no registry of images: it answers %d at %s/v2/", status, c.url)}
}

func denies(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

func isNotReady(status int) bool {
	return status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// lookAtImage requires the manifest at that path.
func (c registryClient) lookAtImage(ctx context.Context, path string) verdict {
	name, reference, _ := strings.Cut(strings.TrimPrefix(path, "/v2/"), "/manifests/")
	image := name + ":" + reference
	if strings.Contains(reference, ":") {
		image = name + "@" + reference
	}
	status, _, err := c.get(ctx, path)
	switch {
	case err != nil:
		return classOf(err)
	case status == http.StatusOK:
		return verdict{sentence: "answers; the manifest of " + image + " comes", image: image}
	case denies(status):
		return verdict{class: "denied", sentence: fmt.Sprintf("does not give this user the manifest of test_image %s (%d); "+
			"allow it, or name another image", image, status)}
	case isNotReady(status):
		return verdict{class: "away", sentence: fmt.Sprintf("is not ready: it answers %d for the manifest of test_image %s",
			status, image)}
	case status == http.StatusNotFound:
		return verdict{class: "wrong", sentence: fmt.Sprintf("does not have test_image %s (404); push it there, or name "+
			"another image", image)}
	}
	return verdict{class: "wrong", sentence: fmt.Sprintf("answers %d for the manifest of test_image %s", status, image)}
}

// lookAtAny asks for the manifest of the first image in the registry's catalog. The manifest need not come.
func (c registryClient) lookAtAny(ctx context.Context) verdict {
	var told struct{ Repositories, Tags []string }
	if !c.tell(ctx, "/v2/_catalog?n=1", &told) {
		return verdict{sentence: "answers; it does not tell what it has"}
	}
	if len(told.Repositories) == 0 {
		return verdict{sentence: "answers; it has no image yet"}
	}
	repository := told.Repositories[0]
	if !c.tell(ctx, "/v2/"+repository+"/tags/list", &told) {
		return verdict{sentence: "answers; it does not tell the tags of " + repository}
	}
	if len(told.Tags) == 0 {
		return verdict{sentence: "answers; " + repository + " has no tag"}
	}
	image := repository + ":" + told.Tags[0]
	status, _, err := c.get(ctx, "/v2/"+repository+"/manifests/"+told.Tags[0])
	switch {
	case err != nil:
		return classOf(err)
	case status == http.StatusOK:
		return verdict{sentence: "answers; the manifest of " + image + " comes", image: image}
	case status >= http.StatusInternalServerError:
		return verdict{class: "away", sentence: fmt.Sprintf("is not ready: it answers %d for the manifest of %s", status,
			image)}
	}
	return verdict{sentence: fmt.Sprintf("answers; %s itself is not for this user (%d)", image, status)}
}

// tell reads a list that the registry may refuse to give.
func (c registryClient) tell(ctx context.Context, path string, into any) bool {
	status, body, err := c.get(ctx, path)
	if err != nil || status != http.StatusOK {
		return false
	}
	_ = json.Unmarshal(body, into) // invalid JSON counts as an empty list
	return true
}

func classOf(err error) verdict {
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return verdict{class: "untrusted", sentence: "has a certificate that is not trusted (" + unknown.Error() +
			"); give the certificate of its CA (ca_certificate or certificate_path), or mend the registry's"}
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return verdict{class: "unknown", sentence: "has a name that this node cannot resolve; give hosts_string, or the " +
			"node a DNS server that knows it"}
	}
	return verdict{class: "away", sentence: "does not answer (" + err.Error() +
		"); see that it runs, and that security groups and routes let the node through"}
}

// get sends the request that curl would send with this configuration. It names the machine, so that tests know the
// client.
func (c registryClient) get(ctx context.Context, path string) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("User-Agent", c.machine.Name())
	for line := range strings.Lines(c.config) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "user = "); ok {
			if clear, err := strconv.Unquote(value); err == nil {
				user, password, _ := strings.Cut(clear, ":")
				req.SetBasicAuth(user, password)
			}
		}
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(c.ca))
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, DialContext: c.dial,
		DisableKeepAlives: true,
	}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, body, err
}

// dial resolves names through the machine's /etc/hosts only.
func (c registryClient) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if net.ParseIP(host) == nil {
		known := ""
		_, entries := c.machine.splitHosts()
		for _, entry := range entries {
			words := strings.Fields(entry)
			for _, name := range words[1:] {
				if name == host && known == "" {
					known = words[0]
				}
			}
		}
		if known == "" {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		host = known
	}
	return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(host, port))
}
