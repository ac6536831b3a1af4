// Package openstack checks the connector for OpenStack with the lab, and with a real OpenStack.
package openstack

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	lab "github.com/windlass-nfv/windlass/deployments/lab/openstack"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
	"github.com/windlass-nfv/windlass/internal/vim/openstack/openstacktest"
)

func TestContract_labWithFakeMachines(t *testing.T) {
	cloud := labCloud(t, fake.New(fake.Options{}), netip.MustParsePrefix("127.78.40.0/24"),
		netip.MustParsePrefix("127.78.41.0/24"))
	cloud.Spare = netip.MustParsePrefix("127.78.46.0/24")
	openstacktest.Run(t, cloud)
	t.Run("tells what there is no room for", func(t *testing.T) { tellsShortages(t, cloud) })
}

// tellsShortages checks that the connector reports each quota of the lab's project that is too small.
func tellsShortages(t *testing.T, at openstacktest.Cloud) {
	c, err := openstack.Connect(t.Context(), at.Vim, at.Cred, outbound.Guard{})
	require.NoError(t, err)
	problems, err := c.Survey(t.Context(), vim.Deployment{}, vim.Room{
		Servers: 1e6, Cores: 1e7, RAM: 1 << 40, Ports: 1e6, Volumes: 1e6,
	})
	require.NoError(t, err)
	require.Len(t, problems, 5, "%s", problems)
	for i, what := range []string{"servers", "cores", "MiB of memory", "ports", "volumes"} {
		require.Regexp(t, `^The project's quota has room for \d+ more `+what+` \(\d+ of \d+ are used\), and \d+ are needed\.$`, problems[i])
	}
	quotas, err := c.Quotas(t.Context())
	require.NoError(t, err)
	require.Len(t, quotas, 5)
	for i, what := range []string{"servers", "cores", "MiB of memory", "ports", "volumes"} {
		require.Equal(t, what, quotas[i].Resource)
		require.Regexp(t, `^\d+$`, quotas[i].Limit)
		require.Regexp(t, `^\d+$`, quotas[i].Used)
	}
}

// labCloud runs the lab in this process. Its public endpoints use TLS, the internal ones do not.
func labCloud(t *testing.T, machines machine.Hypervisor, net0, public netip.Prefix) openstacktest.Cloud {
	t.Helper()
	store, err := state.Open(filepath.Join(t.TempDir(), "lab.db"))
	require.NoError(t, err)
	var handler http.Handler
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) })
	outside, inside := httptest.NewTLSServer(serve), httptest.NewServer(serve)
	cloud, err := lab.New(lab.Config{
		Store: store, Machines: machines, Endpoint: outside.URL, InternalEndpoint: inside.URL,
		OtherRegions: []string{"RegionNowhere"}, DemoPassword: "demo-secret", AdminPassword: "admin-secret", Net0: net0,
		Public: public, ComputeHosts: 1, HeatPatience: time.Second,
	})
	require.NoError(t, err)
	handler = cloud.Handler()
	t.Cleanup(func() {
		outside.Close()
		inside.Close()
		cloud.Close()
		require.NoError(t, store.Close())
	})
	require.NoError(t, cloud.Recover(t.Context()))
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: outside.Certificate().Raw})
	return openstacktest.Cloud{
		Vim: lcm.Vim{
			Name: "lab", Type: lcm.VimOpenStack, AuthURL: outside.URL + "/identity/v3", Regions: []string{"RegionOne"},
			Project: map[string]any{"name": "demo", "project_domain_name": "Default"},
		},
		Cred: map[string]any{
			"username": "demo", "password": "demo-secret", "user_domain_name": "Default", "ca_cert": string(authority),
		},
		PlainAuthURL: inside.URL + "/identity/v3", Nowhere: "RegionNowhere",
		Image: "debian-12-k8s", Flavor: "m1.small", Network: "net0", Patience: 30 * time.Second,
	}
}
