package lcm

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// The members of interfaceInfo that are registered for ETSINFV.OPENSTACK_KEYSTONE.V_3.
const (
	vimEndpoint     = "endpoint"
	vimUnverified   = "skipCertificateVerification"
	vimAnyHostname  = "skipCertificateHostnameCheck"
	vimCertificates = "trustedCertificates"
)

// OwnProblems returns the mistakes of a connection that brings the endpoint and the credentials of a VIM itself,
// instead of naming a registered VIM. path is the connection's path in the request. A sealed secret counts as a string.
func (c VimConnectionInfo) OwnProblems(path string) []Problem {
	if c.Bare() {
		return []Problem{{Path: path + ".vimId", Detail: "is missing: name a VIM that is registered at /v1.0/vims, or give " +
			"the interfaceInfo and accessInfo of a VIM"}}
	}
	if check := c.kind().problems; check != nil {
		return check(c, path)
	}
	p := connectionProblems{path: path}
	p.add(".vimType", "must be %s, ETSINFV.OPENSTACK_KEYSTONE.V_2 or V_3, %s, ETSINFV.KUBERNETES.V_1 or "+
		"ETSINFV.HELM.V_3, not %q", VimOpenStack, VimKubernetes, c.VimType)
	return append(p.problems, c.ownOpenStackProblems(path)...)
}

// ownOpenStackProblems is OwnProblems for a connection to an OpenStack.
func (c VimConnectionInfo) ownOpenStackProblems(path string) []Problem {
	p := connectionProblems{path: path}
	p.interfaceInfo(c.InterfaceInfo)
	p.accessInfo(c.AccessInfo)
	return append(p.problems, ExtraProblems(path+".extra", c.Extra)...)
}

type connectionProblems struct {
	path     string
	problems []Problem
}

func (p *connectionProblems) add(at, format string, args ...any) {
	p.problems = append(p.problems, Problem{Path: p.path + at, Detail: fmt.Sprintf(format, args...)})
}

func (p *connectionProblems) interfaceInfo(info map[string]any) {
	const at = ".interfaceInfo."
	switch endpoint, isText := info[vimEndpoint].(string); {
	case info[vimEndpoint] == nil || isText && endpoint == "":
		p.add(at+vimEndpoint, "is missing: it is the URL of the OpenStack's Keystone")
	case !isText || !isEndpoint(endpoint):
		p.add(at+vimEndpoint, "must be a URL of http or https without a user, such as https://cloud.example.com:5000/v3")
	}
	for _, key := range []string{vimUnverified, vimAnyHostname} {
		if _, ok := truth(info[key]); !ok {
			p.add(at+key, "must be true or false")
		}
	}
	anyHostname, _ := truth(info[vimAnyHostname])
	if unverified, _ := truth(info[vimUnverified]); anyHostname && !unverified {
		p.add(at+vimAnyHostname, "Windlass cannot check a certificate without its name: skip the whole check (%s), or "+
			"trust the certificate's authority (%s)", vimUnverified, vimCertificates)
	}
	if _, ok := certificates(info[vimCertificates]); !ok {
		p.add(at+vimCertificates, "must be a list of certificates, each as PEM, or as PEM in base64")
	}
}

func isEndpoint(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

func (p *connectionProblems) accessInfo(info map[string]any) {
	const at = ".accessInfo."
	texts := []string{
		"username", "password", "project", "projectDomain", "userDomain", "region", "tenant", "user_id", "user_domain_name",
		"user_domain_id",
		"project_name", "project_domain_name", "application_credential_id", "application_credential_secret", "ca_cert",
	}
	for _, key := range texts {
		if value := info[key]; value != nil && !isTextOrSealed(value) {
			p.add(at+key, "must be a string")
		}
	}
	missing := func(why string, keys ...string) {
		if !slices.ContainsFunc(keys, func(key string) bool { return info[key] != nil && info[key] != "" }) {
			p.add(at+keys[0], "is missing%s", why)
		}
	}
	if info["application_credential_id"] != nil {
		missing(": it belongs to application_credential_id", "application_credential_secret")
		return
	}
	missing("", "username", "user_id")
	missing("", "password")
	missing(": it is the name of the project that has the VNF", "project", "project_name", "tenant")
}

func isTextOrSealed(value any) bool {
	if m, ok := value.(map[string]any); ok {
		return isSealed(m)
	}
	_, ok := value.(string)
	return ok
}

// OwnVim returns the VIM of a connection that brings its endpoint and credentials itself, in the form of a registered
// VIM. Sealed credentials stay sealed. It accepts the registry's names of credentials as well as those of the standard.
func (c VimConnectionInfo) OwnVim(id VimID) Vim {
	if own := c.kind().own; own != nil {
		return own(c, id)
	}
	return c.ownOpenStack(id) // unknown types were refused before
}

// ownOpenStack is OwnVim for a connection to an OpenStack.
func (c VimConnectionInfo) ownOpenStack(id VimID) Vim {
	cred := maps.Clone(c.AccessInfo)
	if cred == nil {
		cred = map[string]any{}
	}
	for from, to := range map[string]string{
		"userDomain": "user_domain_name", "project": "project_name", "projectDomain": "project_domain_name",
	} {
		if value := cred[from]; value != nil && value != "" {
			cred[to] = value
		}
	}
	project := c.tenant(cred)
	if unverified, _ := truth(c.InterfaceInfo[vimUnverified]); unverified {
		cred["cert_verify"] = false
	}
	if bundle, _ := certificates(c.InterfaceInfo[vimCertificates]); bundle != "" {
		cred["ca_cert"] = bundle
	}
	endpoint, _ := c.InterfaceInfo[vimEndpoint].(string)
	return Vim{ID: id, Name: c.ID, Type: VimOpenStack, AuthURL: endpoint, AuthCred: cred, Project: project, Extra: c.Extra}
}

// tenant reads the project from the member of ETSINFV.OPENSTACK_KEYSTONE.V_2, where no other member names the project.
// The value is the project's id, as Tacker's clients send it, or its name, which goes into cred.
func (c VimConnectionInfo) tenant(cred map[string]any) (project map[string]any) {
	tenant, _ := cred["tenant"].(string)
	switch named, _ := cred["project_name"].(string); {
	case tenant == "" || named != "":
		return nil
	case isKeystoneID(tenant):
		return map[string]any{"id": tenant}
	default:
		cred["project_name"] = tenant
		return nil
	}
}

// isKeystoneID reports whether a text looks like an id of Keystone: 32 hexadecimal digits, with or without dashes.
func isKeystoneID(text string) bool {
	return keystoneID.MatchString(strings.ReplaceAll(text, "-", ""))
}

var keystoneID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// truth reads a boolean. Clients of key-value pairs may send it as text. A missing value is false.
func truth(value any) (is, ok bool) {
	switch value := value.(type) {
	case nil:
		return false, true
	case bool:
		return value, true
	case string:
		is = strings.EqualFold(value, "true")
		return is, is || strings.EqualFold(value, "false")
	default:
		return false, false
	}
}

// certificates joins a list of certificates into one PEM bundle; a single certificate may come without a list.
func certificates(value any) (bundle string, ok bool) {
	var list []any
	switch value := value.(type) {
	case nil:
		return "", true
	case string:
		list = []any{value}
	case []any:
		list = value
	}
	for _, item := range list {
		text, _ := item.(string)
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			text = string(decoded)
		}
		if block, _ := pem.Decode([]byte(text)); block == nil || block.Type != "CERTIFICATE" {
			return "", false
		}
		bundle += strings.TrimSpace(text) + "\n"
	}
	return bundle, len(list) > 0 || isEmptyList(value)
}

func isEmptyList(value any) bool {
	list, ok := value.([]any)
	return ok && len(list) == 0
}
