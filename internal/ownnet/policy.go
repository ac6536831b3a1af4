// Package ownnet gives code of VNF packages a network of its own. Its other end is a stack of TCP/IP in Windlass, which
// makes the same connection on the host's network if the policy allows the address. So the code cannot reach what the
// worker must reach: Temporal, PostgreSQL, services of the host.
package ownnet

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// Policy says what the code may reach: all but this.
type Policy struct {
	// Denied are networks. If loopback is among them, the addresses of this host are denied, too.
	Denied []netip.Prefix `json:"denied,omitempty"`
	// Peers are Windlass's own servers, as host:port. All ports of such a host are denied, but only that port, on all
	// addresses, if the host is this one.
	Peers []string `json:"peers,omitempty"`
}

// String is the form that Parse reads.
func (p Policy) String() string {
	text, _ := json.Marshal(p) //nolint:errchkjson // of texts, it cannot fail
	return string(text)
}

// Parse reads what String writes.
func Parse(text string) (p Policy, err error) {
	err = json.Unmarshal([]byte(text), &p)
	return p, err
}

// Loopback tells whether the code may reach loopback of the host, as in windlass dev.
func (p Policy) Loopback() bool { return !contains(p.Denied, netip.AddrFrom4([4]byte{127, 0, 0, 1})) }

// rules are a policy with its names resolved.
type rules struct {
	networks, own []netip.Prefix
	// ports are denied on this host, whatever its address: a server may listen on all of them.
	ports []uint16
}

// resolve looks up the names. The error is that of a name that nobody knows now: its address could not be denied.
func (p Policy) resolve(ctx context.Context) (r rules, err error) {
	r = rules{networks: slices.Clone(p.Denied), own: ownAddresses()}
	if !p.Loopback() {
		r.networks = append(r.networks, r.own...)
	}
	for _, peer := range p.Peers {
		host, text, err := net.SplitHostPort(peer[strings.LastIndex(peer, "/")+1:]) // without dns:///
		if err != nil {
			return r, fmt.Errorf("a server of Windlass: %w", err)
		}
		port, err := net.DefaultResolver.LookupPort(ctx, "tcp", text)
		if err != nil {
			return r, fmt.Errorf("a server of Windlass: %w", err)
		}
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return r, fmt.Errorf("a server of Windlass: %w", err)
		}
		for _, a := range found {
			if a = a.Unmap().WithZone(""); r.isOwn(a) {
				r.ports = append(r.ports, uint16(port)) //nolint:gosec // G115: a port
			} else {
				r.networks = append(r.networks, netip.PrefixFrom(a, a.BitLen()))
			}
		}
	}
	return r, nil
}

// allows tells whether the code may reach an address.
func (r rules) allows(to netip.AddrPort) bool {
	a := to.Addr().Unmap().WithZone("")
	return !contains(r.networks, a) && !a.IsMulticast() && !(r.isOwn(a) && slices.Contains(r.ports, to.Port()))
}

func contains(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}

// isOwn tells whether an address is one of this host.
func (r rules) isOwn(a netip.Addr) bool {
	return a.IsLoopback() || a.IsUnspecified() || contains(r.own, a)
}

func ownAddresses() (out []netip.Prefix) {
	all, _ := net.InterfaceAddrs()
	for _, of := range all {
		if p, err := netip.ParsePrefix(of.String()); err == nil {
			a := p.Addr().Unmap().WithZone("")
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	return out
}

// Resolver is the address of DNS in the network of the code.
const Resolver = "192.0.0.1"

// ResolvConf is the content of /etc/resolv.conf for the code: that of the host, with Resolver as the server.
func ResolvConf() []byte {
	text, _ := os.ReadFile("/etc/resolv.conf")
	out := []string{"nameserver " + Resolver}
	for line := range strings.Lines(string(text)) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word == "search" || word == "options" || word == "domain" {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

// nameserver is the DNS server of this host.
func nameserver() string {
	f, err := os.Open("/etc/resolv.conf")
	if err != nil {
		return "127.0.0.1:53"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == "nameserver" {
			return net.JoinHostPort(words[1], "53")
		}
	}
	return "127.0.0.1:53"
}
