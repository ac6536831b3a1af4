package kubernetes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
)

// largestKubeconfig is the largest kubeconfig that is read, in bytes.
const largestKubeconfig = 256 << 10

// ReadKubeconfig takes a kubeconfig apart, if the credentials have one. Its current context supplies the address, the
// namespace and the credentials of vim. It uses only data in the file itself; it reads no other file and runs no
// command. path is the VIM's path in the request.
//
// Errors: Invalid, with every problem of the file. Errors quote nothing of its content but names.
func ReadKubeconfig(vim lcm.Vim, cred map[string]any, path string) (lcm.Vim, map[string]any, error) {
	text, given := cred[login.Kubeconfig]
	if vim.Type != lcm.VimKubernetes || !given || text == nil || text == "" {
		return vim, cred, nil
	}
	f := kubeconfig{path: path + ".auth_cred." + login.Kubeconfig}
	f.read(text)
	for _, key := range slices.Sorted(maps.Keys(cred)) {
		value := cred[key]
		if key != login.Kubeconfig && value != nil && value != "" {
			f.wrong("gives the same data as %s: give one of them", key)
		}
	}
	out := vim
	out.AuthURL = cmp.Or(vim.AuthURL, f.cluster.Server)
	if out.AuthURL != f.cluster.Server && len(f.problems) == 0 {
		f.wrong("is for the server %s, not for the VIM's auth_url %s", f.cluster.Server, vim.AuthURL)
	}
	if name, _ := vim.Project["name"].(string); name == "" && f.namespace != "" {
		out.Project = lcm.Merged(vim.Project, map[string]any{"name": f.namespace})
	}
	return out, f.credentials(), lcm.InvalidAll("The kubeconfig cannot be used", f.problems)
}

// kubeconfig is the part of a kubeconfig that Windlass uses.
type kubeconfig struct {
	path      string
	cluster   api.Cluster
	user      api.AuthInfo
	namespace string
	problems  []lcm.Problem
}

func (f *kubeconfig) wrong(format string, args ...any) {
	f.problems = append(f.problems, lcm.Problem{Path: f.path, Detail: fmt.Sprintf(format, args...)})
}

func (f *kubeconfig) read(value any) {
	text, _ := value.(string)
	if len(text) > largestKubeconfig {
		f.wrong("is larger than %d KiB", largestKubeconfig>>10)
		return
	}
	file, err := clientcmd.Load([]byte(text))
	if err != nil || text == "" { // the error quotes parts of the file
		f.wrong("must be the text of a kubeconfig")
		return
	}
	current := file.Contexts[file.CurrentContext]
	if current == nil {
		f.wrong("has no current-context, or does not describe it")
		return
	}
	cluster, user := file.Clusters[current.Cluster], file.AuthInfos[current.AuthInfo]
	if cluster == nil || user == nil {
		f.wrong("does not describe the cluster and the user of its current context %q", file.CurrentContext)
		return
	}
	f.cluster, f.user, f.namespace = *cluster, *user, current.Namespace
	f.inlineOnly()
	f.verifiable()
}

// inlineOnly refuses references to files on another disk, and commands.
func (f *kubeconfig) inlineOnly() {
	for _, at := range []struct {
		member string
		given  bool
		must   string
	}{
		{"certificate-authority", f.cluster.CertificateAuthority != "", "certificate-authority-data"},
		{"client-certificate", f.user.ClientCertificate != "", "client-certificate-data"},
		{"client-key", f.user.ClientKey != "", "client-key-data"},
		{"tokenFile", f.user.TokenFile != "", "token"},
	} {
		if at.given {
			f.wrong("names a file (%s), which Windlass does not have: put its content into %s ('kubectl config view "+
				"--flatten --minify --raw')", at.member, at.must)
		}
	}
	unsupported := map[string]bool{
		"exec": f.user.Exec != nil, "auth-provider": f.user.AuthProvider != nil, "as": f.user.Impersonate != "",
		"proxy-url": f.cluster.ProxyURL != "", "tls-server-name": f.cluster.TLSServerName != "",
	}
	for _, member := range slices.Sorted(maps.Keys(unsupported)) {
		if unsupported[member] {
			f.wrong("has %s, which Windlass does not support: it runs no program and asks no other server; give a "+
				"token or a client certificate", member)
		}
	}
}

// verifiable requires the file to say how to verify the server. Without a CA, a kubeconfig means the system's
// authorities, but the registry would not verify anything.
func (f *kubeconfig) verifiable() {
	switch {
	case f.cluster.Server == "":
		f.wrong("names no server")
	case strings.HasPrefix(f.cluster.Server, "http://"), f.cluster.InsecureSkipTLSVerify, f.cluster.CertificateAuthority != "":
	case len(f.cluster.CertificateAuthorityData) == 0:
		f.wrong("has no certificate-authority-data: add the certificates of the server's authority")
	}
}

func (f *kubeconfig) credentials() map[string]any {
	cred := map[string]any{}
	for key, value := range map[string]string{
		login.Token: f.user.Token, login.User: f.user.Username, login.Password: f.user.Password,
		login.Certificate: string(f.user.ClientCertificateData), login.Key: string(f.user.ClientKeyData),
		login.Authority: string(f.cluster.CertificateAuthorityData),
	} {
		if value != "" {
			cred[key] = value
		}
	}
	if f.cluster.InsecureSkipTLSVerify {
		cred[login.Authority] = login.Unverified
	}
	return cred
}
