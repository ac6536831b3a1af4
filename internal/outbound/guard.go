// Package outbound is the common part of Windlass's clients of other servers: it bounds the addresses that they may
// reach, and the size of an answer. Strangers have chosen those servers, their names and addresses.
package outbound

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Guard stops strangers' URIs that lead into the operator's own network. Its zero value allows every address.
type Guard struct {
	Denied    []netip.Prefix
	HTTPSOnly bool
	// Section is the section of the settings, What the purpose of the calls, for messages.
	Section, What string
}

// Control is a net.Dialer's Control. It checks the address itself: a name may resolve differently each time.
func (g Guard) Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return g.CheckAddress(at.Addr())
}

// CheckAddress refuses an address of the denied networks: Invalid.
func (g Guard) CheckAddress(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if slices.ContainsFunc(g.Denied, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return lcm.Errorf(lcm.KindInvalid, "The address %s is denied: %s (%s.deniedNetworks).", a, g.What, g.Section)
	}
	return nil
}

// Check refuses a URI that may not be called: Invalid. Its name is looked up when it is called.
func (g Guard) Check(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return lcm.Errorf(lcm.KindInvalid, "must be an absolute URI of http or https")
	case u.User != nil || u.Fragment != "":
		return lcm.Errorf(lcm.KindInvalid, "must have no user and no fragment")
	case g.HTTPSOnly && u.Scheme != "https":
		return lcm.Errorf(lcm.KindInvalid, "must be a URI of https (%s.httpsOnly)", g.Section)
	}
	return g.checkHost(u)
}

// CheckHost refuses a URI whose host is an address in the denied networks: Invalid. A name is checked when it is
// resolved at the call.
func (g Guard) CheckHost(uri string) error {
	if !strings.Contains(uri, "://") { // a Kubernetes may be given as host:port
		uri = "//" + uri
	}
	u, err := url.Parse(uri)
	if err != nil {
		return nil //nolint:nilerr // whether it is a URI at all is the question of others
	}
	return g.checkHost(u)
}

func (g Guard) checkHost(u *url.URL) error {
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return g.CheckAddress(a)
	}
	return nil
}
