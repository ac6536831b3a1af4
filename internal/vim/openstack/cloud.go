// Package openstack drives OpenStack. It manages stacks through Heat. It reads addresses and hypervisors through
// Neutron and Nova, because Heat does not report them. Its interface has lcm types and lcm.Error only; no other package
// uses gophercloud.
package openstack

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// Cloud is one project of an OpenStack, authenticated. It renews its token by itself. Many goroutines may use it.
type Cloud struct {
	timing   timing
	provider *gophercloud.ProviderClient
	heat     *gophercloud.ServiceClient
	network  *gophercloud.ServiceClient
	compute  *gophercloud.ServiceClient
	images   *gophercloud.ServiceClient // nil where the catalog has none
	balancer *gophercloud.ServiceClient // nil in a cloud without Octavia
	volumes  *gophercloud.ServiceClient // nil in a cloud without Cinder
	regions  []string
	// waiting counts the loops that poll the cloud.
	waiting atomic.Int64
	// cancelling counts those that wait for the end of a cancelled creation. A person waits for it, too, so a thousand
	// other operations do not slow it down.
	cancelling atomic.Int64
}

// Wrap wraps the transport of the calls, for example with a timer.
type Wrap = func(http.RoundTripper) http.RoundTripper

// Connect authenticates at the VIM's Keystone. cred are the decrypted credentials of /v1.0/vims: username, password,
// user_domain_name, project_domain_name, or application_credential_id and _secret. cert_verify "False" turns off TLS
// verification; ca_cert is a PEM bundle; region chooses among the catalog's endpoints. The VIM's extra may have region,
// interface and the times call_timeout, poll_interval and outage_patience. All calls go through wraps, the last one
// outermost. The guard says which addresses the VIM and its services may have.
//
// Errors: Denied for wrong credentials, Unavailable when Keystone does not answer, Invalid when a service is missing in
// the catalog, no known authority has signed a certificate, or the guard denies an address.
func Connect(
	ctx context.Context, vim lcm.Vim, cred map[string]any, guard outbound.Guard, wraps ...Wrap,
) (*Cloud, error) {
	timing, err := timingOf(vim)
	if err != nil {
		return nil, err
	}
	provider, err := openstack.NewClient(vim.AuthURL)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The VIM %s has an auth_url that is no URL: %s.", vim.Name, vim.AuthURL)
	}
	if provider.HTTPClient, err = httpClient(cred, timing.call, guard); err != nil {
		return nil, err
	}
	for _, wrap := range wraps {
		provider.HTTPClient.Transport = wrap(provider.HTTPClient.Transport)
	}
	opts := authOptions(vim, cred)
	if lacks := missing(opts); lacks != "" {
		return nil, lcm.Errorf(lcm.KindInvalid, "The credentials of VIM %s lack %s.", vim.Name, lacks)
	}
	if err := openstack.Authenticate(ctx, provider, opts); err != nil {
		return nil, authError(vim, err)
	}
	c := &Cloud{timing: timing, provider: provider}
	return c, c.readCatalog(vim, endpointOf(vim, cred))
}

// endpointOf selects the catalog's endpoints.
func endpointOf(vim lcm.Vim, cred map[string]any) gophercloud.EndpointOpts {
	where := gophercloud.EndpointOpts{Availability: gophercloud.AvailabilityPublic}
	where.Region = cmp.Or(text(cred, "region"), text(vim.Extra, "region"))
	if where.Region == "" && len(vim.Regions) == 1 { // with several regions, nobody has chosen one
		where.Region = vim.Regions[0]
	}
	if v := text(vim.Extra, "interface"); v != "" {
		where.Availability = gophercloud.Availability(v)
	}
	return where
}

// readCatalog finds the services in the catalog that came with the token. gophercloud's own way would ask each endpoint
// for its versions. That costs a call, and fails when an endpoint is down.
func (c *Cloud) readCatalog(vim lcm.Vim, where gophercloud.EndpointOpts) error {
	catalog := &tokens.ServiceCatalog{}
	if result, ok := c.provider.GetAuthResult().(tokens.CreateResult); ok {
		if found, err := result.ExtractServiceCatalog(); err == nil {
			catalog = found
		}
	}
	c.regions = regionsOf(catalog)
	for _, service := range []struct {
		name, kind string
		to         **gophercloud.ServiceClient
	}{
		{"orchestration (Heat)", "orchestration", &c.heat},
		{"network (Neutron)", "network", &c.network},
		{"compute (Nova)", "compute", &c.compute},
	} {
		endpoint, ok := find(catalog, service.kind, where)
		if !ok {
			return lcm.Errorf(lcm.KindInvalid,
				"The catalog of VIM %s has no %s endpoint in region %q with interface %q. It has: %s.",
				vim.Name, service.name, where.Region, where.Availability, offers(catalog))
		}
		*service.to = &gophercloud.ServiceClient{ProviderClient: c.provider, Endpoint: endpoint, Type: service.kind}
	}
	if endpoint, ok := find(catalog, loadBalancerType, where); ok {
		c.balancer = &gophercloud.ServiceClient{ProviderClient: c.provider, Endpoint: endpoint, Type: loadBalancerType}
		c.balancer.ResourceBase = strings.TrimSuffix(endpoint, "v2.0/") + "v2.0/"
	}
	for _, kind := range []string{"block-storage", "volumev3"} {
		if endpoint, ok := find(catalog, kind, where); ok && c.volumes == nil {
			c.volumes = &gophercloud.ServiceClient{ProviderClient: c.provider, Endpoint: endpoint, Type: kind}
		}
	}
	// In most catalogs, the endpoints of Neutron and Glance have no version.
	c.network.ResourceBase = strings.TrimSuffix(c.network.Endpoint, "v2.0/") + "v2.0/"
	if endpoint, ok := find(catalog, "image", where); ok {
		c.images = &gophercloud.ServiceClient{ProviderClient: c.provider, Endpoint: endpoint, Type: "image"}
		c.images.ResourceBase = strings.TrimSuffix(endpoint, "v2/") + "v2/"
	}
	return nil
}

func find(catalog *tokens.ServiceCatalog, kind string, where gophercloud.EndpointOpts) (endpoint string, ok bool) {
	for _, entry := range catalog.Entries {
		if entry.Type != kind {
			continue
		}
		for _, e := range entry.Endpoints {
			if e.Interface == string(where.Availability) &&
				(where.Region == "" || where.Region == e.Region || where.Region == e.RegionID) {
				return gophercloud.NormalizeURL(e.URL), true
			}
		}
	}
	return "", false
}

// Regions returns the regions of the catalog, in order.
func (c *Cloud) Regions() []string { return slices.Clone(c.regions) }

const (
	// mostNames and longestName limit the names that Windlass stores of a catalog: a catalog may be very long.
	mostNames   = 500
	longestName = 255
	// mostOffers limits the names in an error.
	mostOffers = 20
)

func regionsOf(catalog *tokens.ServiceCatalog) []string {
	return namesIn(catalog, mostNames, func(e tokens.Endpoint) string { return cmp.Or(e.RegionID, e.Region) })
}

// offers lists the regions and interfaces of a catalog, for an error about a wrong choice.
func offers(catalog *tokens.ServiceCatalog) string {
	list := namesIn(catalog, mostOffers, func(e tokens.Endpoint) string { return e.Region + " " + e.Interface })
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

// namesIn returns the first names of endpoints, in order and each once.
func namesIn(catalog *tokens.ServiceCatalog, most int, name func(tokens.Endpoint) string) (names []string) {
	for _, entry := range catalog.Entries {
		for _, e := range entry.Endpoints {
			if n := name(e); n != "" && len(n) <= longestName {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.Clone(names[:min(len(names), most)])
}

// read gets a JSON document; query is nil for none.
func (c *Cloud) read(
	ctx context.Context, from *gophercloud.ServiceClient, into any, query url.Values, path ...string,
) error {
	address := from.ServiceURL(path...)
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	_, err := from.Get(ctx, address, into, nil) //nolint:bodyclose // gophercloud closes what it decodes
	return err
}
