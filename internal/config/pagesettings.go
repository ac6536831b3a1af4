package config

import (
	"errors"
	"strings"
)

// Page holds the links of the web page at /ui, and the ways to log in there.
type Page struct {
	// Temporal is the root of Temporal's Web UI, Traces the URL of a trace with {traceId} in it; "" means no link.
	Temporal, Traces string
	// OAuth2ClientID is the page's client id at the issuer; "" means no login there. OAuth2Scope is the scope that the
	// page asks for.
	OAuth2ClientID, OAuth2Scope string
}

// pageSettings are for the web page.
var pageSettings = []setting{
	{
		key: "page.temporalUrl", need: NeedAPI, usage: "`URL` of Temporal's Web UI, for links on the web page",
		set: func(c *Config, v string) error { c.Page.Temporal = strings.TrimRight(v, "/"); return checkEndpoint(v) },
	},
	{
		key: "page.traceUrl", need: NeedAPI,
		usage: "`URL` of a trace with {traceId} in it, for links on the web page, such as https://jaeger.example/trace/{traceId}",
		set:   func(c *Config, v string) error { c.Page.Traces = v; return checkTraceURL(v) },
	},
	{
		key: "page.oauth2.clientId", need: NeedAPI,
		usage: "client `id` of the web page at auth.oauth2.issuer (a public client); without it users paste a token",
		set:   func(c *Config, v string) error { c.Page.OAuth2ClientID = v; return checkNotEmpty(v) },
	},
	{
		key: "page.oauth2.scope", need: NeedAPI, fallback: "openid windlass:write",
		usage: "`scopes` that the web page asks the issuer for, with blanks between them",
		set:   func(c *Config, v string) error { c.Page.OAuth2Scope = v; return nil },
	},
}

func checkTraceURL(v string) error {
	if !strings.Contains(v, "{traceId}") {
		return errors.New("has no {traceId}, where the id of the trace goes")
	}
	return checkEndpoint(strings.ReplaceAll(strings.SplitN(v, "?", 2)[0], "{traceId}", "1"))
}
