package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

const (
	clusterName = "active"
	// historyShards is fixed by a database's first start. Four are plenty for one node and keep the
	// idle load low.
	historyShards = 4
)

// services are the four parts of a Temporal cluster, all in this process.
var services = []primitives.ServiceName{
	primitives.FrontendService, primitives.MatchingService, primitives.HistoryService, primitives.WorkerService,
}

// tuning lifts limits that are meant for shared clusters. On a quiet shard the default of 20 polls a second makes
// every task of a workflow wait 50 ms; one partition per task queue saves forwarding between four; the
// registry's refresh decides how soon after its creation the namespace can be used.
func tuning() dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		dynamicconfig.TransferProcessorMaxPollRPS.Key():                  1000,
		dynamicconfig.TimerProcessorMaxPollRPS.Key():                     1000,
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key():                1000,
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():           1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key():          1,
		dynamicconfig.NamespaceCacheRefreshInterval.Key():                250 * time.Millisecond,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 200,
	}
}

// newServer makes a cluster that waits to be started.
func newServer(o options, log *slog.Logger) (temporal.Server, error) {
	conf, err := serverConfig(o)
	if err != nil {
		return nil, err
	}
	logger := &slogAdapter{log}
	authorizer, claims := authorization.NewNoopAuthorizer(), authorization.NewNoopClaimMapper()
	switch known, err := o.access.claims(); {
	case err != nil:
		return nil, fmt.Errorf("read the API key: %w", err)
	case known != nil:
		authorizer, claims = authorization.NewDefaultAuthorizer(), known
	}
	hosts := map[primitives.ServiceName]static.Hosts{}
	for _, service := range services {
		port := conf.Services[string(service)].RPC.GRPCPort
		hosts[service] = static.SingleLocalHost(net.JoinHostPort(o.listen.Addr().String(), strconv.Itoa(port)))
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(conf),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts), // no gossip: there is one node
		temporal.WithLogger(logger),
		temporal.WithAuthorizer(authorizer),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return claims }),
		temporal.WithDynamicConfigClient(tuning()),
	)
	if err != nil {
		return nil, fmt.Errorf("set up the Temporal server: %w", err)
	}
	return server, nil
}

func serverConfig(o options) (*config.Config, error) {
	ip, frontend := o.listen.Addr().String(), o.listen.String()
	c := &config.Config{Services: map[string]config.Service{}}
	var err error
	if c.Global.TLS, err = o.access.serverTLS(); err != nil {
		return nil, err
	}
	c.Global.Membership.MaxJoinDuration = 30 * time.Second
	c.Global.Membership.BroadcastAddress = ip
	c.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10,
		MasterClusterName:        clusterName,
		CurrentClusterName:       clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{
			clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend},
		},
	}
	c.DCRedirectionPolicy.Policy = "noop"
	c.Archival.History.State, c.Archival.Visibility.State = "disabled", "disabled"
	c.NamespaceDefaults.Archival.History.State, c.NamespaceDefaults.Archival.Visibility.State = "disabled", "disabled"
	c.PublicClient.HostPort = frontend
	c.Persistence = config.Persistence{
		DefaultStore: "main", VisibilityStore: "visibility", NumHistoryShards: historyShards,
		DataStores: map[string]config.DataStore{
			"main":       {SQL: o.database.sql(o.database.name)},
			"visibility": {SQL: o.database.sql(o.database.visibility)},
		},
	}
	for _, service := range services {
		port := int(o.listen.Port())
		if service != primitives.FrontendService {
			if port, err = freePort(o.listen.Addr()); err != nil {
				return nil, err
			}
		}
		c.Services[string(service)] = config.Service{RPC: config.RPC{BindOnIP: ip, GRPCPort: port}}
	}
	return c, nil
}

// freePort finds a port for a service that only this process calls. Another process may take it
// before the service does; then the start fails and whoever watches this process repeats it.
func freePort(ip netip.Addr) (int, error) {
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, 0)))
	if err != nil {
		return 0, fmt.Errorf("find a free port on %s: %w", ip, err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}
