// Package openstack is the lab's OpenStack: the HTTP APIs of Keystone, Nova, Neutron, Cinder, Glance and Heat, as far
// as Windlass and the usual clients call them. It runs on one port and in one process. A machine.Hypervisor runs the
// servers. docs/lab.md lists what the lab imitates and what not.
package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Config describes the cloud.
type Config struct {
	Store    *state.Store
	Machines machine.Hypervisor
	// Endpoint is the root of every URL in the catalog, e.g. http://127.0.0.1:5000.
	Endpoint string
	// InternalEndpoint is the same for the interfaces internal and admin; default Endpoint.
	InternalEndpoint string
	Region           string // default RegionOne
	// OtherRegions are further regions in the catalog. No service answers there.
	OtherRegions []string
	// DemoPassword and AdminPassword are the passwords of the users demo and admin.
	DemoPassword, AdminPassword string
	// ImagePassword is the password of the images' own user; "" locks it.
	ImagePassword string
	TokenLifetime time.Duration // default one hour, as Keystone's
	// Images are the names that Glance lists from the start.
	Images []string
	// Net0 and Public are the subnets of the seeded networks.
	Net0, Public netip.Prefix
	ComputeHosts int // default 5
	// HeatPatience is how long Heat retries to remove an object that still has ports. The default of 30 seconds
	// corresponds to Heat's action_retry_limit.
	HeatPatience time.Duration
	Now          func() time.Time
	Log          *slog.Logger
}

// Cloud serves the APIs. Call New, then Recover, and Close at the end.
type Cloud struct {
	cfg        Config
	store      *state.Store
	hypervisor machine.Hypervisor
	log        *slog.Logger
	seed       Seed
	faults     *faults
	heat       *hot.Engine
	mux        http.Handler
	makers     map[string]maker // by resource type

	ctx    context.Context //nolint:containedctx // the context of background work, ended by Close
	cancel context.CancelFunc
	wg     sync.WaitGroup
	tasks  tasks
}

// New opens the cloud that the store holds, or seeds a new one.
func New(cfg Config) (*Cloud, error) {
	cfg = withDefaults(cfg)
	if cfg.DemoPassword == "" || cfg.AdminPassword == "" {
		return nil, errors.New("open cloud: the users need passwords")
	}
	c := &Cloud{cfg: cfg, store: cfg.Store, hypervisor: cfg.Machines, log: cfg.Log, faults: newFaults()}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if err := c.plant(); err != nil {
		return nil, fmt.Errorf("seed cloud: %w", err)
	}
	c.makers = heatResources{c}.makers()
	c.heat = hot.New(hot.Config{
		Store: cfg.Store, Cloud: heatResources{c}, Now: cfg.Now, Log: cfg.Log,
		AlarmURL: c.alarmURL, SignalURL: c.signalURL, Fault: c.faults.resource,
	})
	c.mux = c.routes()
	return c, nil
}

func withDefaults(cfg Config) Config {
	cfg.Region = cmp.Or(cfg.Region, "RegionOne")
	cfg.HeatPatience = cmp.Or(cfg.HeatPatience, 30*time.Second)
	cfg.TokenLifetime = cmp.Or(cfg.TokenLifetime, time.Hour)
	cfg.ComputeHosts = cmp.Or(cfg.ComputeHosts, 5)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if !cfg.Net0.IsValid() {
		cfg.Net0 = netip.MustParsePrefix("10.78.0.0/24")
	}
	if !cfg.Public.IsValid() {
		cfg.Public = netip.MustParsePrefix("10.78.255.0/24")
	}
	if len(cfg.Images) == 0 {
		cfg.Images = DefaultImages()
	}
	cfg.Endpoint = strings.TrimSuffix(cfg.Endpoint, "/")
	cfg.InternalEndpoint = strings.TrimSuffix(cmp.Or(cfg.InternalEndpoint, cfg.Endpoint), "/")
	return cfg
}

// DefaultImages are the image names that need no configuration: the lab's own images, and those of the well-known
// Kubernetes VNF packages. All boot the same node image. The images of storage servers, registries and Ansible servers
// have more software installed.
func DefaultImages() []string {
	return []string{
		"debian-12-k8s", "debian-12-services", "debian-12-ansible", "debian-12-offline",
		"Image for masterNode HA kubernetes", "Image for workerNode HA kubernetes",
		"Image for masterNode kubernetes", "Image for workerNode kubernetes",
		"Image for storage server", "Image for private registry",
	}
}

// Handler serves all APIs and the lab's own.
func (c *Cloud) Handler() http.Handler { return c.mux }

// Recover restores machines and stacks to the state of the last process.
func (c *Cloud) Recover(ctx context.Context) error {
	if err := c.hypervisor.Recover(ctx); err != nil {
		return fmt.Errorf("recover machines: %w", err)
	}
	if err := c.recoverNetworks(ctx); err != nil {
		return err
	}
	if err := c.recoverVolumes(ctx); err != nil {
		return err
	}
	c.recoverServers(ctx)
	if err := c.recoverFloatingIPs(ctx); err != nil {
		return err
	}
	c.heat.Recover()
	return c.recoverBalancers(ctx)
}

// Close stops the background work. Machines continue to run.
func (c *Cloud) Close() {
	c.heat.Close()
	c.cancel()
	c.wg.Wait()
}

func (c *Cloud) now() time.Time { return c.cfg.Now().UTC().Truncate(time.Microsecond) }
