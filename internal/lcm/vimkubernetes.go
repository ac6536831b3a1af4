package lcm

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The members of a Kubernetes' credentials.
const (
	K8sToken       = "bearer_token"
	K8sUser        = "username"
	K8sPassword    = "password"
	K8sCertificate = "client_certificate"
	K8sKey         = "client_key"
	K8sTokenURL    = "oidc_token_url"
	K8sClient      = "client_id"
	K8sSecret      = "client_secret"
	K8sAuthority   = "ssl_ca_cert"
	// K8sKubeconfig is the text of a kubeconfig. The API takes it apart on arrival.
	K8sKubeconfig = "kubeconfig"
	// K8sUnverified is Tacker's word for an authority that is not verified.
	K8sUnverified = "None"
	// DefaultNamespace is the namespace of VNFs when neither the VIM nor the request names one, as in Tacker.
	DefaultNamespace = "default"
)

// K8sLogin is one of the ways to log in to a Kubernetes.
type K8sLogin struct {
	needs, may []string
}

// k8sLogins holds all ways to log in, by the member that only that way has.
var k8sLogins = map[string]K8sLogin{
	K8sToken:       {needs: []string{K8sToken}},
	K8sUser:        {needs: []string{K8sUser, K8sPassword}},
	K8sCertificate: {needs: []string{K8sCertificate, K8sKey}},
	K8sTokenURL:    {needs: []string{K8sTokenURL, K8sUser, K8sPassword, K8sClient}, may: []string{K8sSecret}},
}

const k8sWays = "bearer_token, username and password, client_certificate and client_key, or oidc_token_url with username, " +
	"password and client_id"

// loginOf returns the ways to log in that the credentials have any member of.
func loginOf(cred map[string]any) (ways []string) {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return given(cred[key]) })
	}
	if has(K8sToken) {
		ways = append(ways, K8sToken)
	}
	switch {
	case has(K8sTokenURL, K8sClient, K8sSecret):
		ways = append(ways, K8sTokenURL)
	case has(K8sUser, K8sPassword):
		ways = append(ways, K8sUser)
	}
	if has(K8sCertificate, K8sKey) {
		ways = append(ways, K8sCertificate)
	}
	return ways
}

// K8sLoginProblems returns the mistakes in the credentials of a Kubernetes: they must have exactly one way to log in,
// and all its members. Sealed secrets count as strings. path is the path of the credentials.
func K8sLoginProblems(path string, cred map[string]any) []Problem {
	p := connectionProblems{path: path}
	for _, key := range slices.Sorted(maps.Keys(k8sMembers)) {
		if value := cred[key]; value != nil && !isTextOrSealed(value) {
			p.add("."+key, "must be a string")
		}
	}
	switch ways := loginOf(cred); len(ways) {
	case 0:
		p.add("."+K8sToken, "is missing: give %s", k8sWays)
	case 1:
		for _, key := range k8sLogins[ways[0]].needs {
			if !given(cred[key]) {
				p.add("."+key, "is missing: it belongs to %s", strings.Join(k8sLogins[ways[0]].others(key, cred), " and "))
			}
		}
	default:
		p.add("."+ways[1], "contradicts %s: give one way to log in, %s", ways[0], k8sWays)
	}
	if text, ok := cred[K8sTokenURL].(string); ok && text != "" && !isEndpoint(text) {
		p.add("."+K8sTokenURL, "must be a URL of http or https without a user")
	}
	p.pem("."+K8sAuthority, cred[K8sAuthority], "CERTIFICATE")
	p.pem("."+K8sCertificate, cred[K8sCertificate], "CERTIFICATE")
	p.pem("."+K8sKey, cred[K8sKey], "PRIVATE KEY")
	return p.problems
}

// others returns the members of the login, beside key, that are given.
func (l K8sLogin) others(key string, cred map[string]any) []string {
	return slices.DeleteFunc(slices.Concat(l.needs, l.may), func(k string) bool { return k == key || !given(cred[k]) })
}

// pem requires PEM of a kind. It also accepts Tacker's word for no authority.
func (p *connectionProblems) pem(at string, value any, kind string) {
	text, _ := value.(string)
	if text == "" || text == K8sUnverified && at == "."+K8sAuthority {
		return
	}
	found := pemBlock.FindStringSubmatch(text)
	switch {
	case found == nil || !strings.HasSuffix(found[1], kind):
		p.add(at, "must be PEM that begins with -----BEGIN %s-----", kind)
	case strings.Contains(text, "ENCRYPTED"):
		p.add(at, "must not be encrypted")
	}
}

// k8sMembers are all members that credentials of a registered Kubernetes may have.
var k8sMembers = map[string]bool{
	K8sToken: true, K8sUser: true, K8sPassword: true, K8sCertificate: true, K8sKey: true, K8sTokenURL: true,
	K8sClient: true, K8sSecret: true, K8sAuthority: true,
}

// K8sUnknown returns the members of credentials that a Kubernetes does not use.
func K8sUnknown(path string, cred map[string]any) (problems []Problem) {
	for _, key := range slices.Sorted(maps.Keys(cred)) {
		if !k8sMembers[key] && given(cred[key]) {
			problems = append(problems, Problem{
				Path:   MemberPath(path, key),
				Detail: "is not a credential of Kubernetes: use " + k8sWays + ", and ssl_ca_cert",
			})
		}
	}
	return problems
}

// K8sChange completes a change of credentials. It sets the members of a former way to log in to null, which removes
// them.
func K8sChange(present, given map[string]any) map[string]any {
	ways := loginOf(given)
	before := loginOf(present)
	if len(ways) != 1 || len(before) != 1 {
		return given
	}
	// Both ways that have a password accept a new one.
	if ways[0] == K8sUser && before[0] == K8sTokenURL || ways[0] == before[0] {
		return given
	}
	out := map[string]any{}
	for _, key := range slices.Concat(k8sLogins[before[0]].needs, k8sLogins[before[0]].may) {
		out[key] = nil
	}
	maps.Copy(out, given)
	return out
}

// K8sWarnings returns the dangers of credentials, as sentences.
func K8sWarnings(url string, cred map[string]any) (warnings []string) {
	switch authority, _ := cred[K8sAuthority].(string); {
	case strings.HasPrefix(url, "http://"):
		warnings = append(warnings, "The address is http: everybody on the network path can read the credentials.")
	case authority == K8sUnverified:
		warnings = append(warnings, "ssl_ca_cert is None: the certificate of the VIM is not verified.")
	case authority == "":
		warnings = append(warnings, "There is no ssl_ca_cert: the certificate of the VIM is not verified.")
	}
	if issuer, _ := cred[K8sTokenURL].(string); strings.HasPrefix(issuer, "http://") {
		warnings = append(warnings, "oidc_token_url is http: everybody on the network path can read the password.")
	}
	return warnings
}

// pemBlock is a block of PEM. A YAML file of Tacker's users may have folded its lines into one.
var pemBlock = regexp.MustCompile(`-----BEGIN ([A-Z0-9 ]+)-----\s*([A-Za-z0-9+/=\s]+?)\s*-----END [A-Z0-9 ]+-----`)

// UnfoldPEM restores the lines of folded PEM. It returns any other text unchanged.
func UnfoldPEM(text string) string {
	blocks := pemBlock.FindAllStringSubmatch(text, -1)
	if blocks == nil {
		return text
	}
	var b strings.Builder
	for _, block := range blocks {
		lines := strings.Join(strings.Fields(block[2]), "\n")
		fmt.Fprintf(&b, "-----BEGIN %s-----\n%s\n-----END %s-----\n", block[1], lines, block[1])
	}
	return b.String()
}

// Namespace is the namespace of VNFs on a Kubernetes. Tacker stores it as the VIM's project.
func (v Vim) Namespace() string {
	if name, _ := v.Project["name"].(string); name != "" {
		return name
	}
	return DefaultNamespace
}

// namespaceName is a DNS label.
var namespaceName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// NamespaceProblem returns the mistakes in the project of a Kubernetes, nil for none.
func (v Vim) NamespaceProblem(path string) []Problem {
	name := v.Project["name"]
	if text, ok := name.(string); name == nil || ok && (text == "" || namespaceName.MatchString(text)) {
		return nil
	}
	return []Problem{{Path: path, Detail: "must be the name of a namespace: small letters, digits and dashes, at most 63"}}
}
