package openstack

import (
	"crypto/rand"
	"encoding/hex"
	"net/netip"
	"strings"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Seed holds the ids of the objects that the cloud has from the start.
type Seed struct {
	Projects map[string]string // name -> id
	Users    map[string]string
	Roles    map[string]string
	Net0     string
	Public   string
	Router   string
	// SigningKey signs the alarm URLs of scaling policies.
	SigningKey string
	// Seeded are the ids that leak checks leave out.
	Seeded []string
}

const seeds = state.Table[Seed]("seed")

// hexID makes an id as Keystone does, without hyphens.
func hexID() string { return strings.ReplaceAll(uuid.NewString(), "-", "") }

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand never fails
	return hex.EncodeToString(b)
}

// plant makes the seed at the first start, and the configured images at every start.
func (c *Cloud) plant() error {
	return c.store.Update(func(tx *state.Tx) error {
		var known bool
		if c.seed, known = seeds.Get(tx, "seed"); !known {
			c.seed = Seed{
				Projects:   map[string]string{"demo": hexID(), "admin": hexID()},
				Users:      map[string]string{"demo": hexID(), "admin": hexID()},
				Roles:      map[string]string{"member": hexID(), "reader": hexID(), "admin": hexID()},
				SigningKey: randomHex(32),
			}
			if err := c.plantNetworks(tx); err != nil {
				return err
			}
			if err := seeds.Put(tx, "seed", c.seed); err != nil {
				return err
			}
		}
		return c.plantImages(tx)
	})
}

// plantNetworks makes net0, the external network and the router between them.
func (c *Cloud) plantNetworks(tx *state.Tx) error {
	admin := c.seed.Projects["admin"]
	now := c.now()
	net0 := Network{
		ID: uuid.NewString(), Name: "net0", ProjectID: admin, Shared: true, AdminUp: true, PortSecurity: true,
		Created: now, Updated: now,
	}
	public := Network{
		ID: uuid.NewString(), Name: "public", ProjectID: admin, External: true, AdminUp: true,
		PortSecurity: true, Created: now, Updated: now,
	}
	router := Router{
		ID: uuid.NewString(), Name: "router0", ProjectID: admin, ExternalNetwork: public.ID, AdminUp: true,
		Created: now, Updated: now,
	}
	c.seed.Net0, c.seed.Public, c.seed.Router = net0.ID, public.ID, router.ID
	c.seed.Seeded = []string{net0.ID, public.ID, router.ID}
	for _, n := range []struct {
		network Network
		name    string
		cidr    netip.Prefix
		router  bool
	}{{net0, "subnet0", c.cfg.Net0, true}, {public, "public-subnet", c.cfg.Public, false}} {
		s := newSubnet(n.network, n.name, n.cidr, now)
		n.network.SubnetIDs = []string{s.ID}
		if err := networks.Put(tx, n.network.ID, n.network); err != nil {
			return err
		}
		if err := subnets.Put(tx, s.ID, s); err != nil {
			return err
		}
		c.seed.Seeded = append(c.seed.Seeded, s.ID)
		if n.router {
			p := Port{
				ID: uuid.NewString(), NetworkID: n.network.ID, ProjectID: admin, MAC: randomMAC(), DeviceID: router.ID,
				DeviceOwner: ownerRouter, FixedIPs: []FixedIP{{SubnetID: s.ID, IP: s.Gateway}}, AdminUp: true, Status: "ACTIVE",
				Created: now, Updated: now,
			}
			if err := ports.Put(tx, p.ID, p); err != nil {
				return err
			}
			c.seed.Seeded = append(c.seed.Seeded, p.ID)
		}
	}
	return routers.Put(tx, router.ID, router)
}
