// Package outbound is what Windlass's clients of other servers have in common: where they may lead, and how much they
// take of an answer. Those servers, their names and addresses are what strangers have given.
package outbound

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Guard keeps URIs that strangers give from leading into the operator's own network. Its zero value lets them lead
// anywhere.
type Guard struct {
	Denied    []netip.Prefix
	HTTPSOnly bool
	// Section is that of the settings, What is what goes there, for messages.
	Section, What string
}

// Control is a net.Dialer's. It looks at the address itself: a name may mean another one at every look.
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
		return lcm.Errorf(lcm.KindInvalid, "The address %s is among those that %s (%s.deniedNetworks).", a, g.What, g.Section)
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

// CheckHost refuses a URI whose host is an address of the denied networks: Invalid. What a name means is looked at when
// it is called.
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
