// flanneld is flannel's daemon (https://github.com/flannel-io/flannel), with its VXLAN backend and subnets from
// Kubernetes only: flannel's own program also contains the backends of clouds, whose modules cannot be verified. It takes
// the flags of flannel's manifest, and --cni-conf for clusters of IPv6.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/flannel-io/flannel/pkg/backend"
	_ "github.com/flannel-io/flannel/pkg/backend/vxlan" // registers itself
	"github.com/flannel-io/flannel/pkg/ip"
	"github.com/flannel-io/flannel/pkg/ipmatch"
	"github.com/flannel-io/flannel/pkg/subnet"
	"github.com/flannel-io/flannel/pkg/subnet/kube"
	"github.com/flannel-io/flannel/pkg/trafficmngr"
	"github.com/flannel-io/flannel/pkg/trafficmngr/iptables"
	"github.com/flannel-io/flannel/pkg/trafficmngr/nftables"
	"k8s.io/klog/v2"
)

const (
	netConfig  = "/etc/kube-flannel/net-conf.json"
	subnetFile = "/run/flannel/subnet.env"
	annotation = "flannel.alpha.coreos.com"
	// resync is how often the rules are looked at again, in seconds.
	resync = 5
)

func main() {
	masq := flag.Bool("ip-masq", false, "masquerade what leaves the pod network")
	flag.Bool("kube-subnet-mgr", true, "subnets are those of the Kubernetes nodes; nothing else is supported")
	health := flag.Int("healthz-port", 0, "port of /healthz, 0 for none")
	cni := flag.String("cni-conf", "", "for IPv6: `file` with the list of CNI's plugins, which flanneld writes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *masq, *health, *cni); err != nil && ctx.Err() == nil {
		klog.ErrorS(err, "flanneld ends")
		os.Exit(1)
	}
}

func run(ctx context.Context, masq bool, health int, cni string) error {
	if health > 0 {
		go serveHealth(health)
	}
	subnets, err := kube.NewSubnetManager(ctx, "", "", annotation, netConfig, true)
	if err != nil {
		return fmt.Errorf("read the nodes: %w", err)
	}
	config, err := subnets.GetNetworkConfig(ctx)
	if err != nil {
		return fmt.Errorf("read %s: %w", netConfig, err)
	}
	var running sync.WaitGroup
	network, err := register(ctx, subnets, config, &running)
	if err != nil {
		return err
	}
	if err := setRules(ctx, config, network, masq); err != nil {
		return err
	}
	lease := network.Lease()
	err = subnets.HandleSubnetFile(subnetFile, config, masq, lease.Subnet, lease.IPv6Subnet, network.MTU())
	if err != nil {
		return fmt.Errorf("write %s: %w", subnetFile, err)
	}
	if cni != "" {
		if err := writeCNI(cni, lease, network.MTU()); err != nil {
			return err
		}
	}
	running.Go(func() { network.Run(ctx) })
	err = subnets.CompleteLease(ctx, lease, &running)
	running.Wait()
	return err
}

// register makes the VXLAN device on the interface with the node's address.
func register(
	ctx context.Context, subnets subnet.Manager, config *subnet.Config, running *sync.WaitGroup,
) (backend.Network, error) {
	family, err := ipmatch.GetIPFamily(config.EnableIPv4, config.EnableIPv6)
	if err != nil {
		return nil, err
	}
	v4, v6 := subnets.GetStoredPublicIP(ctx)
	stored := ipmatch.PublicIPOpts{PublicIP: v4, PublicIPv6: v6}
	at := v4
	if at == "" {
		at = v6
	}
	outer, err := ipmatch.LookupExtIface(at, "", "", family, stored)
	if err != nil {
		return nil, fmt.Errorf("find the interface with the node's address: %w", err)
	}
	made, err := backend.NewManager(ctx, subnets, outer).GetBackend(config.BackendType)
	if err != nil {
		return nil, err
	}
	return made.RegisterNetwork(ctx, running, config)
}

// setRules lets packets of the pods through, and masquerades those that leave the pod network.
func setRules(ctx context.Context, config *subnet.Config, network backend.Network, masq bool) error {
	var unused, rules trafficmngr.TrafficManager = &nftables.NFTablesManager{}, &iptables.IPTablesManager{}
	if config.EnableNFTables {
		unused, rules = rules, unused
	}
	if err := unused.CleanUp(ctx); err != nil {
		return fmt.Errorf("remove former rules: %w", err)
	}
	if err := rules.Init(ctx); err != nil {
		return fmt.Errorf("make rules: %w", err)
	}
	if masq {
		// Earlier networks of IPv4 are empty ones; of IPv6 the present ones, because flannel compares no empty ones.
		err := rules.SetupAndEnsureMasqRules(ctx, config.Network, ip.IP4Net{}, ip.IP4Net{}, config.IPv6Network,
			network.Lease().IPv6Subnet, config.IPv6Network, network.Lease(), resync, false)
		if err != nil {
			return fmt.Errorf("masquerade: %w", err)
		}
	}
	rules.SetupAndEnsureForwardRules(ctx, config.Network, config.IPv6Network, resync)
	return nil
}

func serveHealth(port int) {
	server := &http.Server{
		Addr: fmt.Sprintf(":%d", port), ReadHeaderTimeout: 5 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }),
	}
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		klog.ErrorS(err, "No health is served")
	}
}
