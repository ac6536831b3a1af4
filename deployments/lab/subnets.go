package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/nspawn"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// cloudSubnets are the subnets of net0 and of the external network.
type cloudSubnets struct {
	net0, public netip.Prefix
	// taken reserves a block of fake machines' addresses against other labs on this host.
	taken net.Listener
}

func (s cloudSubnets) release() {
	if s.taken != nil {
		_ = s.taken.Close() // nothing was ever accepted
	}
}

// takeSubnets chooses the subnets: those of the earlier lab, those of the flags, or the default. They matter at the
// first start only; later the cloud has them in its state.
func takeSubnets(ctx context.Context, o upOptions) (cloudSubnets, error) {
	s := cloudSubnets{net0: netip.MustParsePrefix("10.78.0.0/24"), public: netip.MustParsePrefix("10.78.255.0/24")}
	settled := o.net0 != "" // by the flags or an earlier lab; then no other is chosen
	if before, err := readInfo(o.stateDir); err == nil && before.Net0 != "" {
		o.net0, o.public, settled = before.Net0, before.Public, true
	}
	if o.machines == machinesFake && !settled {
		return takeFakeBlock(ctx, o)
	}
	if err := parseSubnets(o, &s); err != nil {
		return s, err
	}
	if o.machines != machinesFake {
		return takeFreeSubnets(ctx, o, settled, s)
	}
	var err error
	if s.taken, err = takeFake(ctx, s.net0); err != nil {
		return s, lcm.Wrap(lcm.KindConflict, err, "Another lab has fake machines in %s.", s.net0)
	}
	return s, nil
}

// takeFreeSubnets uses the default only if it is free: a lab that was killed may still have it.
func takeFreeSubnets(ctx context.Context, o upOptions, settled bool, s cloudSubnets) (cloudSubnets, error) {
	if settled {
		return s, nil
	}
	wanted := []netip.Prefix{s.net0}
	if o.public == "" {
		wanted = append(wanted, s.public)
	}
	free, err := nspawn.FreeSubnets(ctx, len(wanted), wanted...)
	if err != nil {
		return s, err
	}
	s.net0 = free[0]
	if o.public == "" {
		s.public = free[1]
	}
	return s, nil
}

func parseSubnets(o upOptions, s *cloudSubnets) error {
	var problems []lcm.Problem
	for _, given := range []struct {
		flag, value string
		to          *netip.Prefix
	}{{"--net0", o.net0, &s.net0}, {"--public", o.public, &s.public}} {
		if given.value == "" {
			continue
		}
		p, err := netip.ParsePrefix(given.value)
		if err != nil || !p.Addr().Is4() || p.Bits() > 29 {
			problems = append(problems, lcm.Problem{
				Path:   given.flag,
				Detail: fmt.Sprintf("%q is not an IPv4 subnet of at least eight addresses", given.value),
			})
			continue
		}
		*given.to = p.Masked()
	}
	if len(problems) == 0 && s.net0.Overlaps(s.public) {
		problems = append(problems, lcm.Problem{
			Path:   "--public",
			Detail: fmt.Sprintf("%s overlaps net0, %s", s.public, s.net0),
		})
	}
	return lcm.InvalidAll("The lab cannot start.", problems)
}

// fakeBlocks is the number of blocks in 127.78.0.0/16, and so the limit for labs with fake machines on a host.
const fakeBlocks = 16

// takeFakeBlock finds a block of loopback addresses that no other lab uses. Each fake machine listens on its own
// address in the block.
func takeFakeBlock(ctx context.Context, o upOptions) (cloudSubnets, error) {
	for block := range byte(fakeBlocks) {
		third := block * (256 / fakeBlocks)
		s := cloudSubnets{
			net0:   netip.PrefixFrom(netip.AddrFrom4([4]byte{127, 78, third, 0}), 21),
			public: netip.PrefixFrom(netip.AddrFrom4([4]byte{127, 78, third + 8, 0}), 24),
		}
		if err := parseSubnets(upOptions{public: o.public}, &s); err != nil {
			return s, err
		}
		l, err := takeFake(ctx, s.net0)
		if err == nil {
			s.taken = l
			return s, nil
		}
	}
	return cloudSubnets{}, lcm.Errorf(lcm.KindExhausted,
		"All of 127.78.0.0/16 is taken by other labs; stop one, or choose a --net0.")
}

// takeFake listens on the gateway's address, where no machine listens, as a lock on the block while the lab runs.
func takeFake(ctx context.Context, net0 netip.Prefix) (net.Listener, error) {
	var config net.ListenConfig
	gateway := net0.Masked().Addr().Next()
	return config.Listen(ctx, "tcp", net.JoinHostPort(gateway.String(), strconv.Itoa(fake.DefaultPort)))
}
