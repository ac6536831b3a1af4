package lcm

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// A secret was given for one address, to be sent there and to nobody else. Whoever changes the address, or how it is
// verified, may not know the secret, and must not get it that way: who changes them gives the secrets anew.

// verifying are the members of a VIM's credentials that say how its address is verified, or that secrets are sent to
// another one, too: those of an OpenStack, and of a Kubernetes.
var verifying = []string{"cert_verify", "ca_cert", K8sAuthority, K8sTokenURL}

// MovedSecrets are the secrets of the connection that the patch would have sent elsewhere, or to whom nobody verifies,
// than they were given for: it changes interfaceInfo, or how the VIM is verified, and does not give them anew. path is
// where the connection stands.
func (p VimConnectionPatch) MovedSecrets(path string, old VimConnectionInfo) (problems []Problem) {
	if p.Removes() {
		return nil
	}
	after, err := p.over(old)
	if err != nil {
		return nil // told where it is applied
	}
	changed := changedDestination(old, after)
	if changed == "" {
		return nil
	}
	for _, of := range []struct {
		name       string
		old, after map[string]any
	}{
		{"interfaceInfo", old.InterfaceInfo, after.InterfaceInfo},
		{"accessInfo", old.AccessInfo, after.AccessInfo},
		{"extra", old.Extra, after.Extra},
	} {
		for _, at := range keptSecrets(of.old, of.after) {
			problems = append(problems, mustBeAnew(path+"."+of.name+"."+at, changed))
		}
	}
	return problems
}

// mustBeAnew tells of a secret that is missing where something changes to whom it is sent.
func mustBeAnew(path, changed string) Problem {
	return Problem{Path: path, Detail: fmt.Sprintf("must be given anew: %s changes, and a secret is sent only where it "+
		"was given for", changed)}
}

// changedDestination names what differs of where the secrets of a connection are sent, "" for nothing.
func changedDestination(old, after VimConnectionInfo) string {
	keys := slices.Sorted(maps.Keys(Merged(old.InterfaceInfo, after.InterfaceInfo)))
	for _, key := range append([]string{vimEndpoint}, keys...) {
		if !sameMember(key, old.InterfaceInfo[key], after.InterfaceInfo[key]) {
			return "interfaceInfo." + key
		}
	}
	for _, key := range verifying {
		if !sameMember(key, old.AccessInfo[key], after.AccessInfo[key]) {
			return "accessInfo." + key
		}
	}
	return ""
}

// sameMember tells whether two values of a member mean the same. An endpoint may end with a slash; a boolean may be a
// text, and false is as if it were not given.
func sameMember(key string, a, b any) bool {
	switch key {
	case vimEndpoint:
		x, _ := a.(string)
		y, _ := b.(string)
		return strings.TrimSuffix(x, "/") == strings.TrimSuffix(y, "/")
	case vimUnverified, vimAnyHostname:
		x, _ := truth(a)
		y, _ := truth(b)
		return x == y
	default:
		return reflect.DeepEqual(a, b)
	}
}

// keptSecrets are the members with sealed secrets of old that are the same in after, as paths.
func keptSecrets(old, after map[string]any) (at []string) {
	for _, key := range slices.Sorted(maps.Keys(old)) {
		was, _ := old[key].(map[string]any)
		is, _ := after[key].(map[string]any)
		switch {
		case was == nil || is == nil:
		case isSealed(was):
			if reflect.DeepEqual(was, is) {
				at = append(at, key)
			}
		default:
			for _, below := range keptSecrets(was, is) {
				at = append(at, key+"."+below)
			}
		}
	}
	return at
}

// KeepSecrets is Invalid when the patches would have secrets of the instance's connections sent elsewhere than they
// were given for. It is a second safeguard: requests are looked at when they come.
func (p VimConnectionPatches) KeepSecrets(inst VnfInstance) error {
	var problems []Problem
	for _, patch := range p {
		for _, old := range inst.VimConnections {
			if old.ID == patch.ID {
				problems = append(problems, patch.MovedSecrets("$.vimConnectionInfo."+patch.ID, old)...)
			}
		}
	}
	return InvalidAll("The VIM connections would send secrets elsewhere", problems)
}

// MovedSecrets are the secrets of a registered VIM that would be sent to whom nobody verifies as before: given lays
// other credentials over those that it has, changes how it is verified, and does not have them anew. path is where the
// credentials stand.
func (v Vim) MovedSecrets(path string, given map[string]any) (problems []Problem) {
	after := maps.Clone(v.AuthCred)
	if after == nil {
		after = map[string]any{}
	}
	maps.Copy(after, given)
	for _, key := range verifying {
		if sameVerification(v.AuthCred[key], after[key]) {
			continue
		}
		for _, at := range keptSecrets(v.AuthCred, after) {
			problems = append(problems, mustBeAnew(path+"."+at, "auth_cred."+key))
		}
		return problems
	}
	return nil
}

// sameVerification takes the words of Tacker's clients for booleans; what is not given is verified.
func sameVerification(a, b any) bool {
	means := func(v any) any {
		switch v {
		case false, "False", "false":
			return false
		case nil, true, "True", "true", "":
			return true
		}
		return v
	}
	return reflect.DeepEqual(means(a), means(b))
}

// ElsewhereThan tells whether the connection names an endpoint that is not at the address of a registered VIM, and
// brings no secret of its own for it.
func (c VimConnectionInfo) ElsewhereThan(vim Vim) bool {
	endpoint := c.Endpoint()
	if endpoint == "" || c.hasSecret() {
		return false
	}
	return !sameAddress(endpoint, vim.AuthURL)
}

func given(value any) bool { return value != nil && value != "" }

func sameAddress(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	return errX == nil && errY == nil && x.Scheme == y.Scheme && strings.EqualFold(x.Host, y.Host)
}
