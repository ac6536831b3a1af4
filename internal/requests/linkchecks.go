package requests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// checkLinks checks the connection points in a list of links. mistakes violate the standard (400). impossible is what the
// standard allows and a Base HOT cannot do (422). additionalParams are those beside the list; they may name ports.
func checkLinks[C cpConfigs](list []link[C], additionalParams json.RawMessage) (mistakes, impossible []lcm.Problem) {
	c := configCheck{used: map[string]string{}}
	values := lcm.WithNfvPorts(valuesOf(list), additionalParams, true) // a link change does not say if VNFCs are apart
	for i, l := range list {
		c.ports = l.ExtLinkPorts
		c.linkPorts(fmt.Sprintf("$.extVirtualLinks[%d]", i))
		for k, cp := range l.ExtCps {
			at := fmt.Sprintf("$.extVirtualLinks[%d].extCps[%d].cpConfig", i, k)
			var entries []lcm.CpConfig
			n := -1
			for key, config := range cp.CpConfig.entries() {
				n++
				if config == nil {
					continue
				}
				path := fmt.Sprintf("%s[%d]", at, n)
				if key != "" {
					path = lcm.MemberPath(at, key)
				}
				c.linkPort(path, *config, values[i].ExtCps[k].GivenPorts())
				c.entry(path, *config)
				entries = append(entries, config.entry(key, l.ExtLinkPorts))
			}
			if lcm.Contradict(entries) {
				c.cannot(at, "has more than one entry with addresses. "+lcm.OneAddressed)
			}
		}
	}
	return c.mistakes, c.impossible
}

type configCheck struct {
	mistakes, impossible []lcm.Problem
	ports                linkPorts         // of the link under check
	used                 map[string]string // the paths that name each port of the VIM
}

func (c *configCheck) wrong(path, format string, args ...any) {
	c.mistakes = append(c.mistakes, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (c *configCheck) cannot(path, format string, args ...any) {
	c.impossible = append(c.impossible, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (c *configCheck) entry(path string, config cpConfig) {
	for d, data := range config.CpProtocolData {
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
func (c *configCheck) addresses(path string, a addresses) {
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
	case a.number() > lcm.MostAddresses:
		c.cannot(path+".numDynamicAddresses", "is %d; a port can have %d at most", a.number(), lcm.MostAddresses)
	case a.number() > 1 && a.SubnetID == "":
		c.cannot(path+".numDynamicAddresses",
			"is %d, but Neutron chooses only one address without a subnet: name the subnet (subnetId)", a.number())
	}
}

func (a addresses) ranged() bool { return a.AddressRange != nil || a.IPAddressRange != nil }

// number is the number of addresses that the VIM is to choose.
func (a addresses) number() int {
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

// linkPort checks the port that an entry names. is holds the ports of the connection point, including those from
// additionalParams. No other connection point and no other VNFC may have the same port.
func (c *configCheck) linkPort(path string, config cpConfig, is []lcm.LinkPort) {
	id := config.LinkPortID
	if id == "" || len(c.ports) == 0 {
		return
	}
	if c.ports.port(id) == nil {
		c.wrong(path+".linkPortId", "is %q, and none of the link's extLinkPorts has this id", id)
		return
	}
	at := slices.IndexFunc(is, func(p lcm.LinkPort) bool { return p.ID == id })
	if at < 0 || is[at].ResourceID == "" { // the check of the port's description reports it
		return
	}
	port := is[at].ResourceID
	if other := c.used[port]; other != "" {
		c.wrong(path+".linkPortId", "is the port %s, but %s has it already: a port belongs to one server only",
			port, other)
		return
	}
	c.used[port] = path
}

// linkPorts checks the ports that a link describes.
func (c *configCheck) linkPorts(path string) {
	ids := map[string]bool{}
	for i, p := range c.ports {
		if p.ID != "" && ids[p.ID] {
			c.wrong(fmt.Sprintf("%s.extLinkPorts[%d].id", path, i), "is the id of another port of this link, too")
		}
		ids[p.ID] = true
	}
}
