package activities

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/secrets"
)

// secretsOf are the texts that nobody may see in the output of a playbook that gets an attribute: the attribute as a
// whole where a name on the way to it says so, and secrets inside of it. text is its value as the playbook gets it.
func secretsOf(variable, text string, value any) (hidden []string) {
	way := strings.Split(variable, ".")
	secret := slices.ContainsFunc(way, isSecretName)
	if secret {
		hidden = append(hidden, text)
	}
	if _, names := value.(map[string]any); names { // a playbook gets no more than these
		return hidden
	}
	return append(hidden, secretLeaves(value, secret, secret)...)
}

// isSecretName tells whether what has a name is a secret. Whoever has the URL of an alarm or a signal may scale the VNF
// with it.
func isSecretName(name string) bool {
	return secrets.IsSecretKey(name) || strings.HasSuffix(name, "_url")
}

// secretLeaves are the secrets inside a value: what is somewhere below a name that says so (below), and texts that have
// secrets in them. A number is one only right at such a name (at): others, such as the time until which a token is good,
// would be hidden wherever they stand.
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

// secretsIn are the secrets in a text, which may be JSON, or a URL with a password.
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
