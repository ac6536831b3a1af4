package nspawn

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// block is the range of the labs' networks.
var block = netip.MustParsePrefix("10.78.0.0/16")

// FreeSubnets finds n subnets of 256 addresses without a route on this host. It prefers the wanted ones, and else takes
// others of 10.78.0.0/16. A killed lab, or another running lab, has routes to its own subnets.
func FreeSubnets(ctx context.Context, n int, wanted ...netip.Prefix) ([]netip.Prefix, error) {
	routes, err := routesWithin(ctx, block)
	if err != nil {
		return nil, err
	}
	candidates := slices.Clone(wanted)
	for _, third := range rand.Perm(256) { // random: two concurrent searches find different subnets
		candidates = append(candidates, netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 78, byte(third), 0}), 24))
	}
	var free []netip.Prefix
	for _, p := range candidates {
		if len(free) < n && !overlaps(p, routes) && !overlaps(p, free) {
			free = append(free, p)
		}
	}
	if len(free) < n {
		return nil, lcm.Errorf(lcm.KindExhausted, "This host has routes to nearly all of %s: %d subnets are free, %d are "+
			"needed. End other labs, or choose subnets.", block, len(free), n)
	}
	return free, nil
}

func overlaps(p netip.Prefix, with []netip.Prefix) bool {
	return slices.ContainsFunc(with, p.Overlaps)
}

// routesWithin returns the destinations of this host's routes inside p.
func routesWithin(ctx context.Context, p netip.Prefix) ([]netip.Prefix, error) {
	out, err := run(ctx, "", "ip", "-4", "route", "show", "root", p.String())
	if err != nil {
		return nil, broken(err, "The routes of this host cannot be read.")
	}
	var routes []netip.Prefix
	for line := range strings.Lines(out) {
		for field := range strings.FieldsSeq(line) { // a word such as unreachable may precede the destination
			if to, err := destination(field); err == nil {
				routes = append(routes, to)
				break
			}
		}
	}
	return routes, nil
}

func destination(field string) (netip.Prefix, error) {
	if !strings.Contains(field, "/") {
		field += "/32"
	}
	return netip.ParsePrefix(field)
}
