// labnetd is the pod network of the lab: a bridge on every node and a VXLAN tunnel to every other
// node, since port security drops frames with a pod's address as source. It replaces a CNI product,
// whose images could not be had without a registry.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	confPath    = "/etc/cni/net.d/10-labnet.conflist"
	kubeletConf = "/etc/kubernetes/kubelet.conf"
	// A node that joins is reached by the others' pods this much later; a watch would save two
	// seconds and cost a stream a node.
	interval = 2 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	self := os.Getenv("NODE_NAME")
	client, err := connect()
	if err == nil && self == "" {
		err = errors.New("NODE_NAME is not set")
	}
	if err != nil {
		slog.Error("labnetd cannot start", "error", err)
		os.Exit(1)
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := reconcile(ctx, client, self); err != nil && ctx.Err() == nil {
			slog.Error("pod network not in step", "node", self, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// connect uses the pod's own account, but the API server's address that the kubelet has: the
// service address works only once kube-proxy does, and a node is not Ready before labnetd has run.
func connect() (kubernetes.Interface, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, err
	}
	if server := apiServer(kubeletConf); server != "" {
		config.Host = server
	}
	config.Timeout = 10 * time.Second
	return kubernetes.NewForConfig(config)
}

// apiServer reads only the address: the client certificate beside it is not in this pod.
func apiServer(kubeconfig string) string {
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return ""
	}
	for _, cluster := range config.Clusters {
		return cluster.Server
	}
	return ""
}

func reconcile(ctx context.Context, client kubernetes.Interface, self string) error {
	// ResourceVersion 0 is answered from the API server's cache: no load on etcd.
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	p := planFor(self, nodes.Items)
	if !p.ready() {
		return nil
	}
	mtu, err := apply(p)
	if err != nil {
		return err
	}
	return writeConf(confPath, p.self.pods.String(), mtu)
}
