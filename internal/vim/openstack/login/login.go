// Package login is the login form of OpenStacks: the names of the kind, and the members of connections and of registered
// VIMs. It calls nothing.
package login

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/login"
)

// Kind are the VIMs for VNFs of servers.
var Kind = lcm.VimKind{
	Type: lcm.VimOpenStack, Name: "an OpenStack", Registered: []string{"ETSINFV.OPENSTACK_KEYSTONE."},
	Examples:       []string{"ETSINFV.OPENSTACK_KEYSTONE.V_2 or V_3"},
	TakesTemplates: true, SwitchesVnfcs: true, ReconnectsPorts: true, HandsOverVolumes: true, Members: members, Default: true,
	Verifying: []string{"cert_verify", "ca_cert"}, Secrets: []string{"password", "application_credential_secret"},
	Own: own, Problems: problems,
}

// members are the members of an OpenStack's credentials.
var members = []string{
	"username", "user_id", "password", "user_domain_name", "user_domain_id", "project_name", "project_id",
	"project_domain_name", "project_domain_id", "application_credential_id", "application_credential_secret",
	"cert_verify", "ca_cert", "region", "auth_url",
}

// problems are the mistakes of a connection to an OpenStack.
func problems(c lcm.VimConnectionInfo, path string) []lcm.Problem {
	p := &login.Problems{Path: path}
	p.Endpoint(c.InterfaceInfo, "the URL of the OpenStack's Keystone", "https://cloud.example.com:5000/v3")
	p.Verification(c.InterfaceInfo, lcm.VimUnverified, lcm.VimAnyHostname)
	anyHostname, _ := lcm.Truth(c.InterfaceInfo[lcm.VimAnyHostname])
	if unverified, _ := lcm.Truth(c.InterfaceInfo[lcm.VimUnverified]); anyHostname && !unverified {
		p.Add(".interfaceInfo."+lcm.VimAnyHostname, "Windlass cannot check a certificate without its name: skip the whole "+
			"check (%s), or trust the certificate's authority (%s)", lcm.VimUnverified, lcm.VimCertificates)
	}
	accessInfo(p, c.AccessInfo)
	return append(p.List, lcm.ExtraProblems(path+".extra", c.Extra)...)
}

func accessInfo(p *login.Problems, info map[string]any) {
	const at = ".accessInfo."
	texts := []string{
		"username", "password", "project", "projectDomain", "userDomain", "region", "tenant", "user_id", "user_domain_name",
		"user_domain_id",
		"project_name", "project_domain_name", "application_credential_id", "application_credential_secret", "ca_cert",
	}
	for _, key := range texts {
		if value := info[key]; value != nil && !login.IsText(value) {
			p.Add(at+key, "must be a string")
		}
	}
	missing := func(why string, keys ...string) {
		if !slices.ContainsFunc(keys, func(key string) bool { return info[key] != nil && info[key] != "" }) {
			p.Add(at+keys[0], "is missing%s", why)
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

// own is the OpenStack of a connection that brings its endpoint and credentials itself.
func own(c lcm.VimConnectionInfo, id lcm.VimID) lcm.Vim {
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
	project := tenant(cred)
	if unverified, _ := lcm.Truth(c.InterfaceInfo[lcm.VimUnverified]); unverified {
		cred["cert_verify"] = false
	}
	if bundle, _ := login.Certificates(c.InterfaceInfo[lcm.VimCertificates]); bundle != "" {
		cred["ca_cert"] = bundle
	}
	return lcm.Vim{ID: id, Name: c.ID, Type: lcm.VimOpenStack, AuthURL: c.Endpoint(), AuthCred: cred, Project: project, Extra: c.Extra}
}

// tenant reads the project from the member of ETSINFV.OPENSTACK_KEYSTONE.V_2, where no other member names the project.
// The value is the project's id, as Tacker's clients send it, or its name, which goes into cred.
func tenant(cred map[string]any) (project map[string]any) {
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
