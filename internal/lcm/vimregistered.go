package lcm

import "slices"

// Complete reports whether the connection itself has all that a login needs: an endpoint, and a secret. Such a
// connection is used as it is, whatever its vimId is; all others refer to the registry. Tacker's clients of SOL003
// v3.3.1 send a vimId of their own beside both.
//
// So Windlass never sends the secrets of a registered VIM to an endpoint of a request: it uses them with the registered
// endpoint only.
func (c VimConnectionInfo) Complete() bool {
	return c.Endpoint() != "" && c.hasSecret()
}

// Endpoint is the URL of the connection itself, "" without any.
func (c VimConnectionInfo) Endpoint() string {
	endpoint, _ := c.InterfaceInfo[VimEndpoint].(string)
	return endpoint
}

// hasSecret reports whether the connection has a secret for a login.
func (c VimConnectionInfo) hasSecret() bool {
	return slices.ContainsFunc(VimSecrets(),
		func(key string) bool { return given(c.AccessInfo[key]) })
}

// Registered is the id of the registered VIM that the connection refers to, "" for a complete connection.
func (c VimConnectionInfo) Registered() VimID {
	if c.Complete() {
		return ""
	}
	return c.VimID
}

// Bare reports whether the connection has neither an endpoint nor credentials.
func (c VimConnectionInfo) Bare() bool { return len(c.InterfaceInfo) == 0 && len(c.AccessInfo) == 0 }

// VimSecrets are the credentials that make a connection complete, of VIMs of any kind.
func VimSecrets() []string { return ofAllKinds(func(k VimKind) []string { return k.Secrets }) }
