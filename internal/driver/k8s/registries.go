package k8s

import (
	"cmp"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// PrivateRegistry says how the nodes of a cluster connect to an image registry, as Tacker's Kubernetes driver takes it.
type PrivateRegistry struct {
	ConnectionType ConnectionType `json:"connection_type" param:"required=0 for HTTP, 1 for HTTPS; is=connection type"`
	// Server is the beginning of image names: a name or an IPv4 address, and a port unless it is the usual one.
	Server   string     `json:"server" param:"required=names of images begin with it, such as example.com:5000; is=registry"`
	Username string     `json:"username,omitempty" param:"is=user name for HTTP"`
	Password lcm.Secret `json:"password,omitzero" param:"is=password for HTTP"`
	// CertificatePath is a file in the package with the CA's certificates in PEM. CACertificate has the certificates
	// themselves. Without both, the node's own CAs are trusted.
	CertificatePath string `json:"certificate_path,omitempty"`
	CACertificate   string `json:"ca_certificate,omitempty"`
	// HostsString is "address name ..." for /etc/hosts.
	HostsString string `json:"hosts_string,omitempty"`
	// TestImage is an image in the registry: "repository", "repository:tag" or "repository@digest". Every node must get
	// its manifest.
	TestImage string `json:"test_image,omitempty"`
}

// ConnectionType tells HTTP from HTTPS. A number is as good as a string.
type ConnectionType string

// The connection types.
const (
	RegistryHTTP  ConnectionType = "0"
	RegistryHTTPS ConnectionType = "1"
)

// Usual implements params.Usual.
func (ConnectionType) Usual(doc json.RawMessage) json.RawMessage { return params.QuotedNumber(doc) }

func connectionTypeProblem(t string) string {
	switch ConnectionType(t) {
	case RegistryHTTP, RegistryHTTPS:
		return ""
	}
	return fmt.Sprintf(`must be "0" for HTTP or "1" for HTTPS, not %q`, t)
}

// DockerHub is the only server whose address differs from its name in images.
const DockerHub = "docker.io"

// HTTPS reports whether the registry is asked over TLS.
func (r PrivateRegistry) HTTPS() bool { return r.ConnectionType == RegistryHTTPS }

// URL is the registry's root, without a slash at its end.
func (r PrivateRegistry) URL() string {
	server := r.Server
	if server == DockerHub {
		server = "registry-1." + DockerHub
	}
	return map[bool]string{false: "http://", true: "https://"}[r.HTTPS()] + server
}

// AuthKey is the registry's name in the credential files of Docker and kubelet.
func (r PrivateRegistry) AuthKey() string {
	if r.Server == DockerHub {
		return "https://index." + DockerHub + "/v1/"
	}
	return r.Server
}

// TestManifest is the path of TestImage's manifest below URL, "" without such an image.
func (r PrivateRegistry) TestManifest() string {
	if r.TestImage == "" {
		return ""
	}
	repository, reference, digest := strings.Cut(r.TestImage, "@")
	if !digest {
		repository, reference, _ = strings.Cut(r.TestImage, ":")
	}
	return "/v2/" + repository + "/manifests/" + cmp.Or(reference, "latest")
}

// HostsEntry is HostsString with single spaces.
func (r PrivateRegistry) HostsEntry() string { return strings.Join(strings.Fields(r.HostsString), " ") }

// CheckRegistries reads the registries of a modification and finds every mistake in them, with its path.
func CheckRegistries(doc json.RawMessage) (list []PrivateRegistry, problems []lcm.Problem) {
	problems, unknown := Manner.Read(lcm.RegistriesPath, doc, &list)
	meant := append(Manner.Check(lcm.RegistriesPath, list), registriesTogether(lcm.RegistriesPath, list)...)
	return list, append(params.Join(problems, meant), unknown...)
}

var (
	hostNamePattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)
	portPattern     = regexp.MustCompile(`^[0-9]{1,5}$`)
)

// IsHostName tells whether s is a DNS name.
func IsHostName(s string) bool { return len(s) <= longestHostName && hostNamePattern.MatchString(s) }

// longestHostName is the limit of the DNS.
const longestHostName = 253

// RegistryServerProblem says why s cannot be the server of a registry, "" when it can.
func RegistryServerProblem(s string) string {
	host, port, hasPort := strings.Cut(s, ":")
	number, _ := strconv.Atoi(port)
	switch {
	case s == "":
		return "is missing: names of images begin with it, such as registry.example.com:5000."
	case strings.Contains(s, "://"):
		return fmt.Sprintf("must be a name or an address without a scheme, not %q: connection_type says HTTP or HTTPS.",
			s)
	case strings.Contains(s, "/"):
		return fmt.Sprintf("must be a name or an address without a path, not %q.", s)
	case strings.HasPrefix(s, "[") || strings.Count(s, ":") > 1:
		return fmt.Sprintf("must not be an IPv6 address like %q: names of images cannot contain one. Give the "+
			"registry a name with hosts_string.", s)
	case hasPort && (!portPattern.MatchString(port) || number < 1 || number > 65535):
		return fmt.Sprintf("must have a port between 1 and 65535, not %q.", port)
	case !hostNamePattern.MatchString(host):
		return fmt.Sprintf("must be a name or an IPv4 address, with a port if it is not the usual port, not %q.", s)
	case !hasPort && !strings.Contains(host, ".") && host != "localhost":
		return fmt.Sprintf("needs a dot or a port: in the name of an image, %q would be a user of Docker Hub.", s)
	}
	return ""
}

// registriesTogether finds values that entries of list must not have in common; path is the list's own.
func registriesTogether(path string, list []PrivateRegistry) (problems []lcm.Problem) {
	servers, hosts := map[string]int{}, map[string]string{}
	for i, r := range list {
		add := func(key, format string, args ...any) {
			at := params.ItemPath(path, i) + "." + key
			problems = append(problems, lcm.Problem{Path: at, Detail: fmt.Sprintf(format, args...)})
		}
		if first, twice := servers[strings.ToLower(r.Server)]; twice && r.Server != "" {
			add("server", "%q is also the server of the entry %d: a registry has one entry.", r.Server, first)
		} else {
			servers[strings.ToLower(r.Server)] = i
		}
		r.hostsProblems(hosts, add)
	}
	return problems
}

// CheckMembers implements params.Checker.
func (r PrivateRegistry) CheckMembers(wrong params.Wrong) {
	switch {
	case r.Username != "" && r.Password.IsZero():
		wrong("password", "is missing: username needs it")
	case r.Username == "" && !r.Password.IsZero():
		wrong("username", "is missing: password needs it")
	}
	r.certificateProblems(wrong)
	r.imageProblems(wrong)
}

func httpUserProblem(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool { return c == ':' || isControl(c) }) {
		return "must not have a colon or a control character: HTTP cannot carry it"
	}
	return ""
}

func httpPasswordProblem(password lcm.Secret) string {
	if strings.ContainsFunc(password.Clear, isControl) {
		return "must not have a control character: HTTP cannot carry it"
	}
	return ""
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

func (r PrivateRegistry) certificateProblems(wrong params.Wrong) {
	switch {
	case r.CertificatePath == "":
	case r.ConnectionType == RegistryHTTP:
		wrong("certificate_path", `is only for HTTPS, connection_type "1".`)
	case !LocalPath(r.CertificatePath):
		wrong("certificate_path", "%q leaves the package; give a path inside it.", r.CertificatePath)
	}
	if r.CACertificate == "" {
		return
	}
	switch why := CertificateProblem([]byte(r.CACertificate)); {
	case r.ConnectionType == RegistryHTTP:
		wrong("ca_certificate", `is only for HTTPS, connection_type "1".`)
	case r.CertificatePath != "":
		wrong("ca_certificate", "must not be given together with certificate_path: give one of them.")
	case why != "":
		wrong("ca_certificate", "%s.", why)
	}
}

// testImagePattern is the name of an image without a registry. Repositories, tags and digests follow the distribution
// specification.
var testImagePattern = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*` +
	`(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|@[a-z0-9]+([+._-][a-z0-9]+)*:[0-9a-fA-F]{32,128})?$`)

// maxRepository is the longest name that registries take.
const maxRepository = 255

func (r PrivateRegistry) imageProblems(wrong params.Wrong) {
	switch {
	case r.TestImage == "":
	case r.Server != "" && strings.HasPrefix(r.TestImage, r.Server+"/"):
		wrong("test_image", "must be the image's name on the registry, without %q before it.", r.Server+"/")
	case !testImagePattern.MatchString(r.TestImage),
		len(strings.FieldsFunc(r.TestImage, func(c rune) bool { return c == ':' || c == '@' })[0]) > maxRepository:
		wrong("test_image", `must be a repository of the registry, with a tag or a digest, such as "library/busybox:1.36", not %q.`, r.TestImage)
	}
}

// hostsProblems also finds a name for which an earlier entry has another address: only the first would count.
func (r PrivateRegistry) hostsProblems(known map[string]string, add func(key, format string, args ...any)) {
	if r.HostsString == "" {
		return
	}
	words := strings.Fields(r.HostsString)
	if len(words) < 2 || strings.ContainsAny(r.HostsString, ",#\r\n") {
		add("hosts_string", `must be an address and a name, such as "192.168.0.20 registry.example.com", not %q.`,
			r.HostsString)
		return
	}
	if _, err := netip.ParseAddr(words[0]); err != nil {
		add("hosts_string", "must begin with an IP address, not %q.", words[0])
		return
	}
	for _, name := range words[1:] {
		switch other, taken := known[strings.ToLower(name)]; {
		case !hostNamePattern.MatchString(name) || IsIPAddress(name):
			add("hosts_string", "%q is not the name of a host.", name)
		case taken && other != words[0]:
			add("hosts_string", "gives %s the address %s, and another entry %s.", name, words[0], other)
		default:
			known[strings.ToLower(name)] = words[0]
		}
	}
}

// CertificateProblem says why a file cannot be the certificates of a CA, "" when it can.
func CertificateProblem(file []byte) string {
	count := 0
	for rest := file; ; count++ {
		block, after := pem.Decode(rest)
		switch {
		case block == nil && count == 0:
			return "is not a certificate in PEM form"
		case block == nil:
			return ""
		case strings.Contains(block.Type, "PRIVATE KEY"):
			return "holds a private key; only the CA's certificate belongs there"
		case block.Type != "CERTIFICATE":
			return fmt.Sprintf("holds a %s, which is no certificate", block.Type)
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return "holds a certificate that cannot be read"
		}
		rest = after
	}
}
