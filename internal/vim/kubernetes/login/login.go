// Package login is the login form of Kubernetes clusters: the names of the kind, the ways to log in, and the members of
// connections and of registered VIMs. It calls nothing.
package login

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/login"
)

// Kind are the VIMs for VNFs of containers.
var Kind = lcm.VimKind{
	Type: lcm.VimKubernetes, Name: "a Kubernetes", Registered: []string{"ETSINFV.KUBERNETES.", "ETSINFV.HELM."},
	Examples:       []string{"ETSINFV.KUBERNETES.V_1", "ETSINFV.HELM.V_3"},
	RunsContainers: true, ReconnectsPorts: true, ChangesPackages: true, ReplacesVnfcs: true, Watched: true,
	Members: slices.Sorted(maps.Keys(members)),
	Credentials: &lcm.VimCredentials{
		Unknown: unknown, Login: CredentialProblems, Project: namespaceProblem, Change: change, Addresses: []string{TokenURL},
	},
	Verifying: []string{Authority, TokenURL}, Secrets: []string{"password", Token, Key},
	Own: own, Problems: problems,
}

// The members of a Kubernetes' credentials.
const (
	Token       = "bearer_token"
	User        = "username"
	Password    = "password"
	Certificate = "client_certificate"
	Key         = "client_key"
	TokenURL    = "oidc_token_url"
	Client      = "client_id"
	Secret      = "client_secret"
	Authority   = "ssl_ca_cert"
	// Kubeconfig is the text of a kubeconfig. The API takes it apart on arrival.
	Kubeconfig = "kubeconfig"
	// Unverified is Tacker's word for an authority that is not verified.
	Unverified = "None"
)

// way is one of the ways to log in to a Kubernetes.
type way struct {
	needs, may []string
}

// logins holds all ways to log in, by the member that only that way has.
var logins = map[string]way{
	Token:       {needs: []string{Token}},
	User:        {needs: []string{User, Password}},
	Certificate: {needs: []string{Certificate, Key}},
	TokenURL:    {needs: []string{TokenURL, User, Password, Client}, may: []string{Secret}},
}

const everyWay = "bearer_token, username and password, client_certificate and client_key, or oidc_token_url with username, " +
	"password and client_id"

// loginOf returns the ways to log in that the credentials have any member of.
func loginOf(cred map[string]any) (ways []string) {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return login.Given(cred[key]) })
	}
	if has(Token) {
		ways = append(ways, Token)
	}
	switch {
	case has(TokenURL, Client, Secret):
		ways = append(ways, TokenURL)
	case has(User, Password):
		ways = append(ways, User)
	}
	if has(Certificate, Key) {
		ways = append(ways, Certificate)
	}
	return ways
}

// CredentialProblems returns the mistakes in the credentials of a Kubernetes: they must have exactly one way to log in,
// and all its members. Sealed secrets count as strings. path is the path of the credentials.
func CredentialProblems(path string, cred map[string]any) []lcm.Problem {
	p := &login.Problems{Path: path}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if value := cred[key]; value != nil && !login.IsText(value) {
			p.Add("."+key, "must be a string")
		}
	}
	switch ways := loginOf(cred); len(ways) {
	case 0:
		p.Add("."+Token, "is missing: give %s", everyWay)
	case 1:
		for _, key := range logins[ways[0]].needs {
			if !login.Given(cred[key]) {
				p.Add("."+key, "is missing: it belongs to %s", strings.Join(logins[ways[0]].others(key, cred), " and "))
			}
		}
	default:
		p.Add("."+ways[1], "contradicts %s: give one way to log in, %s", ways[0], everyWay)
	}
	if text, ok := cred[TokenURL].(string); ok && text != "" && !login.IsEndpoint(text) {
		p.Add("."+TokenURL, "must be a URL of http or https without a user")
	}
	authorityPEM(p, "."+Authority, cred[Authority])
	p.PEM("."+Certificate, cred[Certificate], "CERTIFICATE")
	p.PEM("."+Key, cred[Key], "PRIVATE KEY")
	return p.List
}

// others returns the members of the login, beside key, that are given.
func (l way) others(key string, cred map[string]any) []string {
	return slices.DeleteFunc(slices.Concat(l.needs, l.may), func(k string) bool { return k == key || !login.Given(cred[k]) })
}

// authorityPEM requires PEM of a certificate, or Tacker's word for no authority.
func authorityPEM(p *login.Problems, at string, value any) {
	if value != Unverified {
		p.PEM(at, value, "CERTIFICATE")
	}
}

// members are all members that credentials of a registered Kubernetes may have.
var members = map[string]bool{
	Token: true, User: true, Password: true, Certificate: true, Key: true, TokenURL: true,
	Client: true, Secret: true, Authority: true,
}

// unknown returns the members of credentials that a Kubernetes does not use.
func unknown(path string, cred map[string]any) (problems []lcm.Problem) {
	for _, key := range slices.Sorted(maps.Keys(cred)) {
		if !members[key] && login.Given(cred[key]) {
			problems = append(problems, lcm.Problem{
				Path:   lcm.MemberPath(path, key),
				Detail: "is not a credential of Kubernetes: use " + everyWay + ", and ssl_ca_cert",
			})
		}
	}
	return problems
}

// change completes a change of credentials. It sets the members of a former way to log in to null, which removes
// them.
func change(present, given map[string]any) map[string]any {
	ways := loginOf(given)
	before := loginOf(present)
	if len(ways) != 1 || len(before) != 1 {
		return given
	}
	// Both ways that have a password accept a new one.
	if ways[0] == User && before[0] == TokenURL || ways[0] == before[0] {
		return given
	}
	out := map[string]any{}
	for _, key := range slices.Concat(logins[before[0]].needs, logins[before[0]].may) {
		out[key] = nil
	}
	maps.Copy(out, given)
	return out
}

// Warnings returns the dangers of credentials, as sentences.
func Warnings(url string, cred map[string]any) (warnings []string) {
	switch authority, _ := cred[Authority].(string); {
	case strings.HasPrefix(url, "http://"):
		warnings = append(warnings, "The address is http: everybody on the network path can read the credentials.")
	case authority == Unverified:
		warnings = append(warnings, "ssl_ca_cert is None: the certificate of the VIM is not verified.")
	case authority == "":
		warnings = append(warnings, "There is no ssl_ca_cert: the certificate of the VIM is not verified.")
	}
	if issuer, _ := cred[TokenURL].(string); strings.HasPrefix(issuer, "http://") {
		warnings = append(warnings, "oidc_token_url is http: everybody on the network path can read the password.")
	}
	return warnings
}

// namespaceName is a DNS label.
var namespaceName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// namespaceProblem returns the mistakes in the project of a Kubernetes, nil for none.
func namespaceProblem(v lcm.Vim, path string) []lcm.Problem {
	name := v.Project["name"]
	if text, ok := name.(string); name == nil || ok && (text == "" || namespaceName.MatchString(text)) {
		return nil
	}
	return []lcm.Problem{{Path: path, Detail: "must be the name of a namespace: small letters, digits and dashes, at most 63"}}
}
