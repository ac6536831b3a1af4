package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

func parseModes(v string) ([]string, error) {
	var out []string
	for mode := range strings.SplitSeq(v, ",") {
		mode = strings.TrimSpace(mode)
		if !slices.Contains([]string{AuthNone, AuthOAuth2, AuthKeystone, AuthMTLS}, mode) {
			return nil, fmt.Errorf("has %q, not none, oauth2, keystone or mtls", mode)
		}
		out = append(out, mode)
	}
	if len(out) > 1 && slices.Contains(out, AuthNone) {
		return nil, errors.New("has none together with others; none makes the others useless")
	}
	return out, nil
}

// finishAuth checks rules that involve more than one setting.
func (l *loader) finishAuth() {
	a, api := &l.config.Auth, l.config.API
	if a.Has(AuthNone) && !a.NoneAnywhere && checkAddress(api.Listen) == nil && !loopback(api.Listen) {
		l.problem(l.mentioned("api.listen"),
			"is "+api.Listen+", but auth.mode is none, which authenticates nobody and therefore serves this host "+
				"only. Listen on 127.0.0.1, choose another auth.mode, or set auth.noneAnywhere if something in front "+
				"of the API authenticates clients")
	}
	l.finishTLS()
	l.require(a.Has(AuthOAuth2), "auth.mode has oauth2",
		map[string]string{"auth.oauth2.issuer": a.OAuth2.Issuer, "auth.oauth2.audience": a.OAuth2.Audience})
	l.require(a.Has(AuthKeystone), "auth.mode has keystone", map[string]string{
		"auth.keystone.url": a.Keystone.URL, "auth.keystone.username": a.Keystone.Username,
		"auth.keystone.passwordFile": a.Keystone.PasswordFile,
	})
	l.require(a.Has(AuthMTLS), "auth.mode has mtls",
		map[string]string{"auth.mtls.clients": a.MTLS.Clients, "api.tls.clientCaFile": api.TLS.ClientCAFile})
}

func (l *loader) finishTLS() {
	files := l.config.API.TLS
	l.require(files.KeyFile != "" || files.ClientCAFile != "", "the API has other files of TLS",
		map[string]string{"api.tls.certFile": files.CertFile})
	l.require(files.CertFile != "", "api.tls.certFile is given", map[string]string{"api.tls.keyFile": files.KeyFile})
	endpoint := l.config.API.Endpoint
	plain := strings.HasPrefix(endpoint, "http:") && checkEndpoint(endpoint) == nil // a wrong URL may have a password
	if plain && files.CertFile == "" && !l.config.Auth.Has(AuthNone) && !loopback(l.config.API.Listen) {
		l.problem(l.mentioned("api.endpoint"), "is "+endpoint+": clients would send their tokens in clear. "+
			"Give api.tls.certFile, or the https URL of the proxy in front of the API")
	}
}

// require reports settings that are empty although another setting needs them.
func (l *loader) require(when bool, why string, values map[string]string) {
	for _, s := range settings {
		if value, asked := values[s.key]; when && asked && value == "" {
			l.problem(s.key, "is missing: "+why)
		}
	}
}

// mentioned is where a setting was given, or its name.
func (l *loader) mentioned(key string) string {
	if place := l.placeOf(key); place != "" {
		return place
	}
	return key
}

// loopback tells whether only this host can reach an address. Another check reports a malformed address.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil || host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}
