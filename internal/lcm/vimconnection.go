package lcm

import (
	"fmt"
	"strings"
)

// The members of interfaceInfo that are registered for ETSINFV.OPENSTACK_KEYSTONE.V_3.
const (
	VimEndpoint     = "endpoint"
	VimUnverified   = "skipCertificateVerification"
	VimAnyHostname  = "skipCertificateHostnameCheck"
	VimCertificates = "trustedCertificates"
)

// OwnProblems returns the mistakes of a connection that brings the endpoint and the credentials of a VIM itself,
// instead of naming a registered VIM. path is the connection's path in the request. A sealed secret counts as a string.
func (c VimConnectionInfo) OwnProblems(path string) []Problem {
	if c.Bare() {
		return []Problem{{Path: path + ".vimId", Detail: "is missing: name a VIM that is registered at /v1.0/vims, or give " +
			"the interfaceInfo and accessInfo of a VIM"}}
	}
	if check := c.kind().Problems; check != nil {
		return check(c, path)
	}
	return []Problem{{Path: path + ".vimType", Detail: fmt.Sprintf("must be %s, not %q", vimNames(), c.VimType)}}
}

// vimNames are the names that a connection may have for its type.
func vimNames() string {
	var names []string
	for _, k := range vimKinds {
		names = append(names, k.Type)
		names = append(names, k.Examples...)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// OwnVim returns the VIM of a connection that brings its endpoint and credentials itself, in the form of a registered
// VIM. Sealed credentials stay sealed. It accepts the registry's names of credentials as well as those of the standard.
func (c VimConnectionInfo) OwnVim(id VimID) Vim {
	if own := c.kind().Own; own != nil {
		return own(c, id)
	}
	return Vim{ID: id, Name: c.ID, Type: c.VimType, AuthURL: c.Endpoint(), AuthCred: c.AccessInfo, Extra: c.Extra}
}

// Truth reads a boolean. Clients of key-value pairs may send it as text. A missing value is false.
func Truth(value any) (is, ok bool) {
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
