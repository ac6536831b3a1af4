package nfvo

import (
	"net/netip"
	"net/url"
	"slices"
	"syscall"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// guard keeps URIs that strangers give from leading into the operator's own network.
type guard struct {
	denied    []netip.Prefix
	httpsOnly bool
	// section is that of the settings, what is what goes there, for messages.
	section, what string
}

// control looks at the address itself: a name may mean another one at every look.
func (g guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return g.checkAddress(at.Addr())
}

func (g guard) checkAddress(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if slices.ContainsFunc(g.denied, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return lcm.Errorf(lcm.KindInvalid, "The address %s is among those that %s (%s.deniedNetworks).", a, g.what, g.section)
	}
	return nil
}

// check refuses a URI that may not be called. Its name is looked up when it is called.
func (g guard) check(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return lcm.Errorf(lcm.KindInvalid, "must be an absolute URI of http or https")
	case u.User != nil || u.Fragment != "":
		return lcm.Errorf(lcm.KindInvalid, "must have no user and no fragment")
	case g.httpsOnly && u.Scheme != "https":
		return lcm.Errorf(lcm.KindInvalid, "must be a URI of https (%s.httpsOnly)", g.section)
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return g.checkAddress(a)
	}
	return nil
}
