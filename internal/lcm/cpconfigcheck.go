package lcm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// mostAddresses is the largest number of addresses of a subnet that a request may ask for on one port.
const mostAddresses = 16

// CheckLinkConfigs checks the connection points in a list of ExtVirtualLinkData of either version. mistakes violate the
// standard (400). impossible is what the standard allows and a Base HOT cannot do (422). It ignores malformed parts,
// because the parser reports them. additionalParams are those beside the list; they may name ports.
func CheckLinkConfigs(list, additionalParams json.RawMessage) (mistakes, impossible []Problem) {
	var raw []rawExtVirtualLink
	if len(list) == 0 || json.Unmarshal(list, &raw) != nil {
		return nil, nil
	}
	c := configCheck{used: map[string]string{}}
	links := WithNfvPorts(linksOf(raw), additionalParams, true) // a link change does not say if VNFCs are apart
	for i, link := range raw {
		c.link = link
		c.linkPorts(fmt.Sprintf("$.extVirtualLinks[%d]", i))
		for k, cp := range link.ExtCps {
			at := fmt.Sprintf("$.extVirtualLinks[%d].extCps[%d].cpConfig", i, k)
			var entries []CpConfig
			for n, config := range cp.CpConfig.items {
				if config == nil {
					continue
				}
				path := fmt.Sprintf("%s[%d]", at, n)
				if key := cp.CpConfig.keys[n]; key != "" {
					path = MemberPath(at, key)
				}
				c.linkPort(path, *config, links[i].ExtCps[k].GivenPorts())
				c.entry(path, *config)
				entries = append(entries, config.entry(cp.CpConfig.keys[n], link))
			}
			if contradict(entries) {
				c.cannot(at, "has more than one entry with addresses. "+OneAddressed)
			}
		}
	}
	return c.mistakes, c.impossible
}

// OneAddressed is the advice for a connection point that Contradicting returns.
const OneAddressed = "The Base HOT makes the same ports for all VNFCs of a VDU, so only one entry of a connection " +
	"point can have addresses; several entries may have the same subnets. Leave addresses to the VIM, or put those " +
	"VNFCs into a separate VDU with its own connection point"

type configCheck struct {
	mistakes, impossible []Problem
	link                 rawExtVirtualLink // the link under check
	used                 map[string]string // the paths that name each port of the VIM
}

func (c *configCheck) wrong(path, format string, args ...any) {
	c.mistakes = append(c.mistakes, Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (c *configCheck) cannot(path, format string, args ...any) {
	c.impossible = append(c.impossible, Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (c *configCheck) entry(path string, config rawCpConfig) {
	for d, data := range config.CpProtocolData.list {
		path := fmt.Sprintf("%s.cpProtocolData[%d].ipOverEthernet.ipAddresses", path, d)
		free := map[string]int{} // the number of addresses without a named subnet, by type
		for a, addresses := range data.IPOverEthernet.IPAddresses {
			at := fmt.Sprintf("%s[%d]", path, a)
			c.addresses(at, addresses)
			if addresses.FixedAddresses != nil || addresses.SubnetID != "" || addresses.ranged() {
				free["other"]++
				continue
			}
			free[addresses.Type] += addresses.number()
			if addresses.number() == 1 && free[addresses.Type] > 1 {
				c.cannot(at, "is a second address of any subnet, but Neutron chooses only one such address: name the "+
					"subnet of each (subnetId)")
			}
		}
		if free["other"] > 0 && len(free) > 1 {
			c.cannot(path, "has addresses of any subnet beside others, but Neutron then gives the port the others "+
				"only: name the subnet of each (subnetId)")
		}
	}
}

// addresses checks one item of ipAddresses.
func (c *configCheck) addresses(path string, a rawAddresses) {
	var has []string
	if a.FixedAddresses != nil {
		has = append(has, "fixedAddresses")
	}
	if a.NumDynamicAddresses != nil {
		has = append(has, "numDynamicAddresses")
	}
	if a.AddressRange != nil {
		has = append(has, "addressRange")
	}
	if a.IPAddressRange != nil {
		has = append(has, "ipAddressRange")
	}
	switch {
	case len(has) != 1:
		c.wrong(path, "must have exactly one of fixedAddresses, numDynamicAddresses and addressRange; it has %s", orNone(has))
	case a.ranged():
		c.cannot(path+"."+has[0], "Neutron gives a port no range of addresses: name them in fixedAddresses, or let "+
			"the VIM choose some (numDynamicAddresses)")
	case a.FixedAddresses != nil && len(a.FixedAddresses) == 0:
		c.wrong(path+".fixedAddresses", "must not be empty")
	case a.number() > mostAddresses:
		c.cannot(path+".numDynamicAddresses", "is %d; a port can have %d at most", a.number(), mostAddresses)
	case a.number() > 1 && a.SubnetID == "":
		c.cannot(path+".numDynamicAddresses",
			"is %d, but Neutron chooses only one address without a subnet: name the subnet (subnetId)", a.number())
	}
}

func (a rawAddresses) ranged() bool { return a.AddressRange != nil || a.IPAddressRange != nil }

// number is the number of addresses that the VIM is to choose.
func (a rawAddresses) number() int {
	if a.NumDynamicAddresses == nil {
		return 0
	}
	return *a.NumDynamicAddresses
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " and ")
}
