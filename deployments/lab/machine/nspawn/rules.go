package nspawn

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

// ruleset holds all that nftables enforces in the router's network namespace.
type ruleset struct {
	// HostLink is the host's address on its link to the router.
	HostLink netip.Addr
	Ports    []machine.Port
	Floating []machine.FloatingIP
}

// render writes the whole ruleset as one transaction, so that no packet passes unchecked during the change.
func (r ruleset) render() (string, error) {
	var b strings.Builder
	for _, table := range []string{"bridge windlass", "ip windlass"} {
		// The add makes the delete valid when the table does not exist.
		fmt.Fprintf(&b, "add table %s\ndelete table %s\n", table, table)
	}
	if err := r.renderPorts(&b); err != nil {
		return "", err
	}
	r.renderNAT(&b)
	return b.String(), nil
}

// renderPorts writes Neutron's port security. A frame enters the bridge only with the port's own MAC and with one of
// its addresses as source, in IPv4 and in ARP. So a keepalived VIP outside the allowed addresses is neither announced
// nor answered for.
func (r ruleset) renderPorts(b *strings.Builder) error {
	ports := slices.Clone(r.Ports)
	slices.SortFunc(ports, func(x, y machine.Port) int { return cmp.Compare(x.ID, y.ID) })

	b.WriteString("table bridge windlass {\n")
	var jumps []string
	for _, p := range ports {
		sources, err := sourcesOf(p)
		if err != nil {
			return err
		}
		tap := tapName(p.ID)
		jumps = append(jumps, fmt.Sprintf("%q : jump %s", tap, tap))
		fmt.Fprintf(b, "\tchain %s {\n\t\tether saddr != %s drop\n\t\tarp saddr ether != %s drop\n", tap, p.MAC, p.MAC)
		// An ARP probe (RFC 5227) has no sender address yet and claims none.
		b.WriteString("\t\tarp saddr ip 0.0.0.0 accept\n")
		if len(sources.v4) > 0 {
			fmt.Fprintf(b, "\t\tarp saddr ip { %s } accept\n", strings.Join(sources.v4, ", "))
			fmt.Fprintf(b, "\t\tip saddr { %s } accept\n", strings.Join(sources.v4, ", "))
		}
		b.WriteString("\t\tip6 saddr { ::, fe80::/10 } accept\n")
		if len(sources.v6) > 0 {
			fmt.Fprintf(b, "\t\tip6 saddr { %s } accept\n", strings.Join(sources.v6, ", "))
		}
		b.WriteString("\t\tdrop\n\t}\n")
	}
	b.WriteString("\tchain prerouting {\n\t\ttype filter hook prerouting priority -300; policy drop;\n")
	if len(jumps) > 0 {
		fmt.Fprintf(b, "\t\tiifname vmap { %s }\n", strings.Join(jumps, ", "))
	}
	b.WriteString("\t}\n}\n")
	return nil
}

func (r ruleset) renderNAT(b *strings.Builder) {
	floating := slices.Clone(r.Floating)
	slices.SortFunc(floating, func(x, y machine.FloatingIP) int { return cmp.Compare(x.Address, y.Address) })

	b.WriteString("table ip windlass {\n\tchain prerouting {\n\t\ttype nat hook prerouting priority -100;\n")
	for _, f := range floating {
		fmt.Fprintf(b, "\t\tip daddr %s dnat to %s\n", f.Address, f.FixedIP)
	}
	b.WriteString("\t}\n\tchain postrouting {\n\t\ttype nat hook postrouting priority 100;\n")
	// A machine that calls a floating IP of its own network must get the answer through the router.
	b.WriteString("\t\tct status dnat masquerade\n")
	fmt.Fprintf(b, "\t\tip saddr %s masquerade\n", r.HostLink)
	for _, f := range floating {
		fmt.Fprintf(b, "\t\toifname %q ip saddr %s snat to %s\n", uplink, f.FixedIP, f.Address)
	}
	b.WriteString("\t}\n}\n")
}

type sources struct{ v4, v6 []string }

// sourcesOf lists the addresses that a port may use. It leaves out an address that lies in a listed range, because
// nftables refuses sets with overlapping ranges.
func sourcesOf(p machine.Port) (sources, error) {
	var all []netip.Prefix
	own := slices.Clone(p.FixedIPs)
	for _, text := range p.IPv6 {
		address, _, _ := strings.Cut(text, "/")
		own = append(own, address)
	}
	for _, text := range slices.Concat(own, p.AllowedAddresses) {
		prefix, err := parsePrefix(text)
		if err != nil {
			return sources{}, fmt.Errorf("port %s: %w", p.ID, err)
		}
		all = append(all, prefix)
	}
	slices.SortFunc(all, func(a, b netip.Prefix) int { return cmp.Compare(a.Bits(), b.Bits()) })
	var s sources
	var kept []netip.Prefix
	for _, prefix := range all {
		if slices.ContainsFunc(kept, func(k netip.Prefix) bool { return k.Overlaps(prefix) }) {
			continue
		}
		kept = append(kept, prefix)
		if prefix.Addr().Is4() {
			s.v4 = append(s.v4, prefixText(prefix))
		} else {
			s.v6 = append(s.v6, prefixText(prefix))
		}
	}
	return s, nil
}

func prefixText(p netip.Prefix) string {
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}

func parsePrefix(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		return p.Masked(), err
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return netip.PrefixFrom(a, a.BitLen()), nil
}
