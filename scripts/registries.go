package scripts

import (
	"fmt"
	"net/url"
	"strings"
)

// ConnectRegistries lets a node pull from image registries, and removes its access to others.
//
// Inputs: hosts.I and ca.I are the hosts.toml and the CA's certificates of the I-th server; ca.I is empty for none.
// credentials is kubelet's file, empty for none at all. docker is Docker's daemon.json, empty to leave it alone. before
// and after are the contents of RegistriesState while the script runs and at its end. before.bare and after.bare are
// the same for a node without Docker.
type ConnectRegistries struct {
	Servers []string // as at the beginning of image names
	Gone    []string // servers to remove
	// DockerGone are the servers whose CA certificates the script removes from Docker.
	DockerGone []string
	Hosts      []string // "address name" for /etc/hosts, the order is kept
	// Credentials is set if kubelet's credentials include some for the servers.
	Credentials bool
}

// The files that ConnectRegistries uses.
const (
	RegistriesState     = "/var/lib/windlass/registries.json"
	KubeletCredentials  = "/var/lib/kubelet/config.json" //nolint:gosec // a file's name
	DockerConfiguration = "/etc/docker/daemon.json"
	ContainerdProxy     = "/etc/windlass/proxy.env"
)

const (
	registriesLibrary = "lib-registries"
	// manifestTypes are all media types of manifests that an image name may refer to.
	manifestTypes = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, " +
		"application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.docker.distribution.manifest.v2+json"
)

// Name implements Script.
func (ConnectRegistries) Name() string { return "connect-registries" }

// Render implements Script.
func (s ConnectRegistries) Render() (string, error) {
	return render(s.Name(), []param{
		optional("SERVERS", strings.Join(s.Servers, " ")), optional("GONE", strings.Join(s.Gone, " ")),
		optional("DOCKER_GONE", strings.Join(s.DockerGone, " ")),
		optional("REGISTRY_HOSTS", strings.Join(s.Hosts, ",")), flag("WITH_CREDENTIALS", s.Credentials),
	}, hostsLibrary, registriesLibrary)
}

// CheckRegistries asks registries from a node, as containerd will. It asks for the API's root and a manifest; a missing
// manifest is a failure only if Manifests names it. Inputs: curl.I is the CurlConfig for the I-th server, ca.I its CA's
// certificates. Results, in base64: "failure" (class|server|sentence, see RegistryFailure), one for each registry that
// fails, and "manifest" (server and image), one for each manifest that came.
type CheckRegistries struct {
	Servers []string
	URLs    []string // the roots, in the order of Servers
	// Manifests are the paths of the manifests that must come, in the same order; "" allows any manifest that the
	// registry lists.
	Manifests []string
}

// Name implements Script.
func (CheckRegistries) Name() string { return "check-registries" }

// Render implements Script.
func (s CheckRegistries) Render() (string, error) {
	manifests := make([]string, len(s.Servers))
	for i := range manifests {
		manifests[i] = anyManifest
		if i < len(s.Manifests) && s.Manifests[i] != "" {
			manifests[i] = s.Manifests[i]
		}
	}
	return render(s.Name(), []param{
		required("SERVERS", strings.Join(s.Servers, " ")), required("URLS", strings.Join(s.URLs, " ")),
		required("MANIFESTS", strings.Join(manifests, " ")),
	}, registriesLibrary)
}

// anyManifest is the placeholder for a manifest that the script need not get.
const anyManifest = "-"

// RegistriesSeen are the servers that sent CheckRegistries a manifest.
func RegistriesSeen(r Results) (out []string) {
	for _, text := range r.Texts("manifest") {
		server, _, _ := strings.Cut(text, " ")
		out = append(out, server)
	}
	return out
}

// RegistryFailure is the reason why a node cannot use a registry.
type RegistryFailure struct {
	// Class is away (may recover by itself), denied (user name or password), untrusted (its certificate), unknown (its
	// name), or wrong (anything else).
	Class    string
	Server   string
	Sentence string
}

// RegistryFailures are the failures that CheckRegistries has found.
func RegistryFailures(r Results) (out []RegistryFailure) {
	for _, text := range r.Texts("failure") {
		class, rest, _ := strings.Cut(text, "|")
		if server, sentence, ok := strings.Cut(rest, "|"); ok {
			out = append(out, RegistryFailure{class, server, sentence})
		}
	}
	return out
}

// HostsTOML is containerd's configuration of a registry: certs.d/SERVER/hosts.toml.
type HostsTOML struct {
	URL string
	CA  bool // containerd trusts ca.crt beside it
}

// Render gives the file.
func (c HostsTOML) Render() (string, error) { return config("hosts.toml", c) }

// CurlConfig is curl's configuration for a registry. It holds secrets.
type CurlConfig struct {
	Username, Password string
	Proxy              *url.URL // nil: directly
}

// Render gives the file.
func (c CurlConfig) Render() string {
	lines := []string{"header = " + curlQuote("Accept: "+manifestTypes)}
	if c.Username != "" {
		lines = append(lines, "user = "+curlQuote(c.Username+":"+c.Password))
	}
	if c.Proxy == nil {
		lines = append(lines, `noproxy = "*"`)
	} else {
		lines = append(lines, "proxy = "+curlQuote(c.Proxy.String()))
	}
	return strings.Join(lines, "\n") + "\n"
}

// curlQuote quotes a value of a configuration file of curl.
func curlQuote(s string) string {
	return fmt.Sprintf(`"%s"`, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\v",
		`\v`).Replace(s))
}
