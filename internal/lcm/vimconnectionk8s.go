package lcm

import "reflect"

// ownKubernetesProblems is OwnProblems for a connection to a Kubernetes. It ignores unknown members of accessInfo:
// Tacker's users send a region there.
func (c VimConnectionInfo) ownKubernetesProblems(path string) []Problem {
	p := connectionProblems{path: path}
	const at = ".interfaceInfo."
	switch endpoint, isText := c.InterfaceInfo[vimEndpoint].(string); {
	case c.InterfaceInfo[vimEndpoint] == nil || isText && endpoint == "":
		p.add(at+vimEndpoint, "is missing: it is the URL of the Kubernetes API")
	case !isText || !isEndpoint(endpoint):
		p.add(at+vimEndpoint, "must be a URL of http or https without a user, such as https://cluster.example.com:6443")
	}
	if _, ok := truth(c.InterfaceInfo[vimUnverified]); !ok {
		p.add(at+vimUnverified, "must be true or false")
	}
	if _, ok := certificates(c.InterfaceInfo[vimCertificates]); !ok {
		p.add(at+vimCertificates, "must be a list of certificates, each as PEM, or as PEM in base64")
	}
	p.authority(c.InterfaceInfo[K8sAuthority], c.AccessInfo[K8sAuthority])
	p.problems = append(p.problems, K8sLoginProblems(path+".accessInfo", c.AccessInfo)...)
	vim := c.ownKubernetes("")
	p.problems = append(p.problems, vim.NamespaceProblem(path+".accessInfo."+c.namespaceMember())...)
	return p.problems
}

// authority checks ssl_ca_cert, in interfaceInfo as Tacker has it, and in accessInfo.
func (p *connectionProblems) authority(inInterface, inAccess any) {
	const at = ".interfaceInfo"
	if _, isText := inInterface.(string); inInterface != nil && !isText {
		p.add(at+"."+K8sAuthority, "must be a string")
		return
	}
	below := connectionProblems{path: p.path + at}
	below.pem("."+K8sAuthority, inInterface, "CERTIFICATE")
	p.problems = append(p.problems, below.problems...)
	if given(inInterface) && given(inAccess) && !reflect.DeepEqual(inInterface, inAccess) {
		p.add(at+"."+K8sAuthority, "contradicts accessInfo.%s: give one of them", K8sAuthority)
	}
}

// namespaceMember returns the member of accessInfo that names the namespace.
func (c VimConnectionInfo) namespaceMember() string {
	if given(c.AccessInfo["namespace"]) {
		return "namespace"
	}
	return "project_name"
}

// ownKubernetes is OwnVim for a connection to a Kubernetes.
func (c VimConnectionInfo) ownKubernetes(id VimID) Vim {
	cred := map[string]any{}
	for key := range k8sMembers {
		if value := c.AccessInfo[key]; given(value) {
			cred[key] = value
		}
	}
	bundle, _ := certificates(c.InterfaceInfo[vimCertificates])
	unverified, _ := truth(c.InterfaceInfo[vimUnverified])
	switch authority := c.InterfaceInfo[K8sAuthority]; {
	case unverified:
		cred[K8sAuthority] = K8sUnverified
	case given(authority):
		cred[K8sAuthority] = authority
	case bundle != "":
		cred[K8sAuthority] = bundle
	}
	endpoint, _ := c.InterfaceInfo[vimEndpoint].(string)
	vim := Vim{ID: id, Name: c.ID, Type: VimKubernetes, AuthURL: endpoint, AuthCred: cred, Extra: c.Extra}
	if namespace := c.AccessInfo[c.namespaceMember()]; given(namespace) {
		vim.Project = map[string]any{"name": namespace}
	}
	return vim
}
