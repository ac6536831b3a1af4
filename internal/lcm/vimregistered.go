package lcm

import "slices"

// Complete tells whether the connection itself says all that is needed to log in: an endpoint, and a secret. Such a
// connection is taken as it is, whatever its vimId is; for every other one the registry is asked. Tacker's clients of
// SOL003 v3.3.1 send a vimId of their own beside both.
//
// The secrets of a registered VIM are thus never sent to an endpoint of a request: they are used with the registered
// endpoint only.
func (c VimConnectionInfo) Complete() bool {
	return c.Endpoint() != "" && c.hasSecret()
}

// Endpoint is the URL that the connection itself brings, "" without any.
func (c VimConnectionInfo) Endpoint() string {
	endpoint, _ := c.InterfaceInfo[vimEndpoint].(string)
	return endpoint
}

// hasSecret tells whether the connection brings a secret to log in with.
func (c VimConnectionInfo) hasSecret() bool {
	return slices.ContainsFunc([]string{"password", "application_credential_secret", K8sToken, K8sKey},
		func(key string) bool { return given(c.AccessInfo[key]) })
}

// Registered is the id of the VIM of the registry that the connection is to, "" for a connection that is complete
// without it.
func (c VimConnectionInfo) Registered() VimID {
	if c.Complete() {
		return ""
	}
	return c.VimID
}

// Bare tells whether the connection brings nothing of its own.
func (c VimConnectionInfo) Bare() bool { return len(c.InterfaceInfo) == 0 && len(c.AccessInfo) == 0 }
