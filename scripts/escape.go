package scripts

import (
	"fmt"
	"net/netip"
	"regexp"
)

// Values of configuration files come from requests and from VIMs. Each language that reads them has a function that
// either writes the value so that it stays a value, or refuses it: yaml and toml quote, word and address refuse what
// inventories, haproxy.cfg and keepalived.conf would read as something else.

// words are what is one word to all of these programs.
var words = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$`)

// word refuses a text that is not one plain word.
func word(text string) (string, error) {
	if !words.MatchString(text) {
		return "", fmt.Errorf("%.80q is not one word of letters, digits, dots, dashes and underscores", text)
	}
	return text, nil
}

// address refuses a text that is no IP address.
func address(text string) (string, error) {
	if _, err := netip.ParseAddr(text); err != nil {
		return "", fmt.Errorf("%.80q is no IP address", text)
	}
	return text, nil
}
