// Package login has what the login forms of all kinds of VIMs share: the checks of members in the connections of
// SOL003 and in the registry, which are objects of any values. It reads and calls nothing.
package login

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Problems collects mistakes of an object at Path.
type Problems struct {
	Path string
	List []lcm.Problem
}

// Add adds a mistake of the member at, which begins with a dot.
func (p *Problems) Add(at, format string, args ...any) {
	p.List = append(p.List, lcm.Problem{Path: p.Path + at, Detail: fmt.Sprintf(format, args...)})
}

// Endpoint checks the endpoint of an interfaceInfo; what names it, such as the URL of the OpenStack's Keystone.
func (p *Problems) Endpoint(info map[string]any, what, example string) {
	const at = ".interfaceInfo." + lcm.VimEndpoint
	switch endpoint, isText := info[lcm.VimEndpoint].(string); {
	case info[lcm.VimEndpoint] == nil || isText && endpoint == "":
		p.Add(at, "is missing: it is %s", what)
	case !isText || !IsEndpoint(endpoint):
		p.Add(at, "must be a URL of http or https without a user, such as %s", example)
	}
}

// Verification checks how an interfaceInfo verifies the endpoint; flags are its booleans.
func (p *Problems) Verification(info map[string]any, flags ...string) {
	const at = ".interfaceInfo."
	for _, key := range flags {
		if _, ok := lcm.Truth(info[key]); !ok {
			p.Add(at+key, "must be true or false")
		}
	}
	if _, ok := Certificates(info[lcm.VimCertificates]); !ok {
		p.Add(at+lcm.VimCertificates, "must be a list of certificates, each as PEM, or as PEM in base64")
	}
}

// PEM requires PEM of a kind, such as CERTIFICATE, which is not encrypted. No text at all is right.
func (p *Problems) PEM(at string, value any, kind string) {
	text, _ := value.(string)
	if text == "" {
		return
	}
	found := pemBlock.FindStringSubmatch(text)
	switch {
	case found == nil || !strings.HasSuffix(found[1], kind):
		p.Add(at, "must be PEM that begins with -----BEGIN %s-----", kind)
	case strings.Contains(text, "ENCRYPTED"):
		p.Add(at, "must not be encrypted")
	}
}

// pemBlock is a block of PEM. A YAML file of Tacker's users may have folded its lines into one.
var pemBlock = regexp.MustCompile(`-----BEGIN ([A-Z0-9 ]+)-----\s*([A-Za-z0-9+/=\s]+?)\s*-----END [A-Z0-9 ]+-----`)

// UnfoldPEM restores the lines of folded PEM. It returns any other text unchanged.
func UnfoldPEM(text string) string {
	blocks := pemBlock.FindAllStringSubmatch(text, -1)
	if blocks == nil {
		return text
	}
	var b strings.Builder
	for _, block := range blocks {
		lines := strings.Join(strings.Fields(block[2]), "\n")
		fmt.Fprintf(&b, "-----BEGIN %s-----\n%s\n-----END %s-----\n", block[1], lines, block[1])
	}
	return b.String()
}

// IsEndpoint tells whether a text is a URL of http or https without a user.
func IsEndpoint(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// IsText tells whether a value is a text, or a sealed secret, which stands for one.
func IsText(value any) bool {
	if m, ok := value.(map[string]any); ok {
		return lcm.IsSealed(m)
	}
	_, ok := value.(string)
	return ok
}

// Given tells whether a member has a value.
func Given(value any) bool { return value != nil && value != "" }

// Certificates joins a list of certificates into one PEM bundle; a single certificate may come without a list.
func Certificates(value any) (bundle string, ok bool) {
	var list []any
	switch value := value.(type) {
	case nil:
		return "", true
	case string:
		list = []any{value}
	case []any:
		list = value
	}
	for _, item := range list {
		text, _ := item.(string)
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			text = string(decoded)
		}
		if block, _ := pem.Decode([]byte(text)); block == nil || block.Type != "CERTIFICATE" {
			return "", false
		}
		bundle += strings.TrimSpace(text) + "\n"
	}
	return bundle, len(list) > 0 || isEmptyList(value)
}

func isEmptyList(value any) bool {
	list, ok := value.([]any)
	return ok && len(list) == 0
}
