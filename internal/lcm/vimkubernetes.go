package lcm

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The members of the credentials of a Kubernetes.
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
	// K8sKubeconfig is the text of a kubeconfig, which is taken apart where it comes in.
	K8sKubeconfig = "kubeconfig"
	// K8sUnverified is Tacker's word for an authority that is not looked at.
	K8sUnverified = "None"
	// DefaultNamespace is where VNFs are when neither the VIM nor the request names another one, as Tacker has it.
	DefaultNamespace = "default"
)

// K8sLogin is one of the ways to log in to a Kubernetes.
type K8sLogin struct {
	needs, may []string
}

// k8sLogins are all ways, by what only they have.
var k8sLogins = map[string]K8sLogin{
	K8sToken:       {needs: []string{K8sToken}},
	K8sUser:        {needs: []string{K8sUser, K8sPassword}},
	K8sCertificate: {needs: []string{K8sCertificate, K8sKey}},
	K8sTokenURL:    {needs: []string{K8sTokenURL, K8sUser, K8sPassword, K8sClient}, may: []string{K8sSecret}},
}

const k8sWays = "bearer_token, username and password, client_certificate and client_key, or oidc_token_url with username, " +
	"password and client_id"

// loginOf finds the way that the credentials are of by any member that they have of it.
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

// K8sLoginProblems is what is wrong with the credentials of a Kubernetes: there is one way to log in, and it is whole.
// Secrets that are sealed count as the texts that they stand for. path is where the credentials stand.
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

// others are the members of a login that are given beside key.
func (l K8sLogin) others(key string, cred map[string]any) []string {
	return slices.DeleteFunc(slices.Concat(l.needs, l.may), func(k string) bool { return k == key || !given(cred[k]) })
}

// pem wants PEM of a kind; Tacker's word for no authority is taken, too.
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

// K8sUnknown are the members of credentials that mean nothing for a Kubernetes.
func K8sUnknown(path string, cred map[string]any) (problems []Problem) {
	for _, key := range slices.Sorted(maps.Keys(cred)) {
		if !k8sMembers[key] && given(cred[key]) {
			problems = append(problems, Problem{
				Path:   MemberPath(path, key),
				Detail: "is no credential of a Kubernetes: they are " + k8sWays + ", and ssl_ca_cert",
			})
		}
	}
	return problems
}

// K8sChange completes a change of credentials: members that belong to another way to log in than the new one are null,
// and what is null is given up.
func K8sChange(present, given map[string]any) map[string]any {
	ways := loginOf(given)
	before := loginOf(present)
	if len(ways) != 1 || len(before) != 1 {
		return given
	}
	// A new password is one of either way that has it.
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

// K8sWarnings is what is dangerous with credentials, as sentences.
func K8sWarnings(url string, cred map[string]any) (warnings []string) {
	switch authority, _ := cred[K8sAuthority].(string); {
	case strings.HasPrefix(url, "http://"):
		warnings = append(warnings, "The address is http: everybody on the way reads the credentials.")
	case authority == K8sUnverified:
		warnings = append(warnings, "ssl_ca_cert is None: the certificate of the VIM is not verified.")
	case authority == "":
		warnings = append(warnings, "There is no ssl_ca_cert: the certificate of the VIM is not verified.")
	}
	if issuer, _ := cred[K8sTokenURL].(string); strings.HasPrefix(issuer, "http://") {
		warnings = append(warnings, "oidc_token_url is http: everybody on the way reads the password.")
	}
	return warnings
}

// pemBlock is a block of PEM, whose lines a YAML of Tacker's users may have folded into one.
var pemBlock = regexp.MustCompile(`-----BEGIN ([A-Z0-9 ]+)-----\s*([A-Za-z0-9+/=\s]+?)\s*-----END [A-Z0-9 ]+-----`)

// UnfoldPEM gives folded PEM its lines back. What is no PEM is left as it is.
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

// Namespace is that of a Kubernetes in which VNFs are; Tacker has it as the VIM's project.
func (v Vim) Namespace() string {
	if name, _ := v.Project["name"].(string); name != "" {
		return name
	}
	return DefaultNamespace
}

// namespaceName is a label of DNS.
var namespaceName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// NamespaceProblem is what is wrong with the project of a Kubernetes; nil when nothing is.
func (v Vim) NamespaceProblem(path string) []Problem {
	name := v.Project["name"]
	if text, ok := name.(string); name == nil || ok && (text == "" || namespaceName.MatchString(text)) {
		return nil
	}
	return []Problem{{Path: path, Detail: "must be the name of a namespace: small letters, digits and dashes, at most 63"}}
}
