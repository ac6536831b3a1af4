package lcm

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// A client gave each secret for one address, and Windlass must send it to no other. A client that changes the address,
// or how it is verified, may not know the secret, and must not learn it that way. So such a client must give the
// secrets again.

// verifying are the members of a VIM's credentials that set how its address is verified, or that name another receiver
// of secrets. Some are an OpenStack's, some a Kubernetes'.
var verifying = []string{"cert_verify", "ca_cert", K8sAuthority, K8sTokenURL}

// MovedSecrets returns the secrets of the connection that the patch would send to another address, or to an address
// that is verified otherwise. The patch changes interfaceInfo, or the verification of the VIM, and does not give these
// secrets again. path is the path of the connection.
func (p VimConnectionPatch) MovedSecrets(path string, old VimConnectionInfo) (problems []Problem) {
	if p.Removes() {
		return nil
	}
	after, err := p.over(old)
	if err != nil {
		return nil // the code that applies the patch reports it
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

// mustBeAnew is the problem of a secret that is missing in a change of its receiver.
func mustBeAnew(path, changed string) Problem {
	return Problem{Path: path, Detail: fmt.Sprintf("must be given again: %s changes, and Windlass sends a secret to "+
		"its original receiver only", changed)}
}

// changedDestination names the first difference in where the secrets of a connection are sent, "" for none.
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

// sameMember reports whether two values of a member mean the same. An endpoint may end with a slash. A boolean may be a
// string, and false equals a missing value.
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

// keptSecrets returns the paths of the sealed secrets that old and after have in common.
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

// KeepSecrets returns an Invalid error when the patches would send secrets of the instance's connections to another
// receiver. It is a second safeguard: the API checks requests when they come.
func KeepSecrets(patches []VimConnectionPatch, inst VnfInstance) error {
	var problems []Problem
	for _, patch := range patches {
		for _, old := range inst.VimConnections {
			if old.ID == patch.ID {
				problems = append(problems, patch.MovedSecrets("$.vimConnectionInfo."+patch.ID, old)...)
			}
		}
	}
	return InvalidAll("The VIM connections would send secrets to another receiver", problems)
}

// MovedSecrets returns the secrets of a registered VIM that would be sent to a receiver that is verified otherwise.
// given is a patch of its credentials that changes the verification and does not give these secrets again. path is the
// path of the credentials.
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

// sameVerification accepts booleans as Tacker's clients write them; a missing value means verification.
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

// ElsewhereThan reports whether the connection names an endpoint other than the registered VIM's, and brings no secret
// of its own for it.
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
