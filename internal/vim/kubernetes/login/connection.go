package login

import (
	"reflect"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/login"
)

// problems are the mistakes of a connection to a Kubernetes. It ignores unknown members of accessInfo:
// Tacker's users send a region there.
func problems(c lcm.VimConnectionInfo, path string) []lcm.Problem {
	p := &login.Problems{Path: path}
	p.Endpoint(c.InterfaceInfo, "the URL of the Kubernetes API", "https://cluster.example.com:6443")
	p.Verification(c.InterfaceInfo, lcm.VimUnverified)
	authority(p, c.InterfaceInfo[Authority], c.AccessInfo[Authority])
	p.List = append(p.List, CredentialProblems(path+".accessInfo", c.AccessInfo)...)
	return append(p.List, namespaceProblem(own(c, ""), path+".accessInfo."+namespaceMember(c))...)
}

// authority checks ssl_ca_cert, in interfaceInfo as Tacker has it, and in accessInfo.
func authority(p *login.Problems, inInterface, inAccess any) {
	const at = ".interfaceInfo"
	if _, isText := inInterface.(string); inInterface != nil && !isText {
		p.Add(at+"."+Authority, "must be a string")
		return
	}
	authorityPEM(p, at+"."+Authority, inInterface)
	if login.Given(inInterface) && login.Given(inAccess) && !reflect.DeepEqual(inInterface, inAccess) {
		p.Add(at+"."+Authority, "contradicts accessInfo.%s: give one of them", Authority)
	}
}

// namespaceMember returns the member of accessInfo that names the namespace.
func namespaceMember(c lcm.VimConnectionInfo) string {
	if login.Given(c.AccessInfo["namespace"]) {
		return "namespace"
	}
	return "project_name"
}

// own is the Kubernetes of a connection that brings its endpoint and credentials itself.
func own(c lcm.VimConnectionInfo, id lcm.VimID) lcm.Vim {
	cred := map[string]any{}
	for key := range members {
		if value := c.AccessInfo[key]; login.Given(value) {
			cred[key] = value
		}
	}
	bundle, _ := login.Certificates(c.InterfaceInfo[lcm.VimCertificates])
	unverified, _ := lcm.Truth(c.InterfaceInfo[lcm.VimUnverified])
	switch authority := c.InterfaceInfo[Authority]; {
	case unverified:
		cred[Authority] = Unverified
	case login.Given(authority):
		cred[Authority] = authority
	case bundle != "":
		cred[Authority] = bundle
	}
	vim := lcm.Vim{ID: id, Name: c.ID, Type: lcm.VimKubernetes, AuthURL: c.Endpoint(), AuthCred: cred, Extra: c.Extra}
	if namespace := c.AccessInfo[namespaceMember(c)]; login.Given(namespace) {
		vim.Project = map[string]any{"name": namespace}
	}
	return vim
}
