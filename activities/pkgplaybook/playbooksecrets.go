package pkgplaybook

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/secrets"
)

// secretsOf returns the texts to hide in the output of a playbook that uses this attribute: the whole attribute if a
// name in its path is secret, and the secrets inside its value. text is the value as the playbook gets it.
func secretsOf(variable, text string, value any) (hidden []string) {
	way := strings.Split(variable, ".")
	secret := slices.ContainsFunc(way, isSecretName)
	if secret {
		hidden = append(hidden, text)
	}
	if _, names := value.(map[string]any); names { // a playbook gets only the names of this map
		return hidden
	}
	return append(hidden, secretLeaves(value, secret, secret)...)
}

// isSecretName tells whether a member with this name is secret. The URL of an alarm or a signal is secret, because
// anyone who has it may scale the VNF.
func isSecretName(name string) bool {
	return secrets.IsSecretKey(name) || strings.HasSuffix(name, "_url")
}

// secretLeaves returns the secrets inside a value: everything below a secret name (below), and texts that contain
// secrets. A number counts only directly at a secret name (at). Otherwise harmless numbers, such as a token's expiry
// time, would be hidden everywhere in the output.
func secretLeaves(value any, below, at bool) (hidden []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, item := range v {
			is := isSecretName(name)
			hidden = append(hidden, secretLeaves(item, below || is, is)...)
		}
	case []any:
		for _, item := range v {
			hidden = append(hidden, secretLeaves(item, below, at)...)
		}
	case float64:
		if at {
			hidden = append(hidden, strconv.FormatFloat(v, 'f', -1, 64))
		}
	case string:
		hidden = secretsIn(v, below)
	}
	slices.Sort(hidden)
	return slices.Compact(hidden)
}

// secretsIn returns the secrets in a text. The text may be JSON, or a URL with a password.
func secretsIn(text string, below bool) (hidden []string) {
	if below || secrets.MaskText(text) != text {
		hidden = append(hidden, text)
	}
	if address, err := url.Parse(text); err == nil && address.User != nil {
		if password, has := address.User.Password(); has {
			hidden = append(hidden, password)
		}
	}
	var inner any
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &inner) == nil {
			hidden = append(hidden, secretLeaves(inner, below, below)...)
		}
	}
	return hidden
}
