package main

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/config"
)

func TestReachOf_keepsCodeOfPackagesFromWindlassOwnServers(t *testing.T) {
	t.Parallel()
	loopback := netip.MustParsePrefix("127.0.0.0/8")
	p := reachOf(config.Config{
		Database: config.Database{URL: "postgres://u:hunter2@db-1.example:5432,db-2.example:5433/windlass"},
		Temporal: config.Temporal{Address: "temporal.example:7233"},
		Vims:     config.Vims{DeniedNetworks: []netip.Prefix{loopback}},
	})
	slices.Sort(p.Peers)
	require.Equal(t, []string{"db-1.example:5432", "db-2.example:5433", "temporal.example:7233"}, slices.Compact(p.Peers))
	require.Equal(t, []netip.Prefix{loopback}, p.Denied)
	require.NotContains(t, p.String(), "hunter2")
}
