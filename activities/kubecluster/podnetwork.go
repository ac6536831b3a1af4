package kubecluster

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/podnetwork"
	"github.com/windlass-nfv/windlass/scripts"
)

// ApplyPodNetworkOutput is empty: the API server has the objects.
type ApplyPodNetworkOutput struct{}

// ApplyPodNetwork applies the package's manifest of the pod network, or else the operator's default. It reads the
// default each time, so that a retry takes a new setting.
//
// Idempotent: applying the same objects again changes nothing. Takes seconds. Errors: Invalid if there is no pod network,
// or if it cannot be used.
func (c *Activities) ApplyPodNetwork(
	ctx context.Context, in reach.ClusterInput,
) (out ApplyPodNetworkOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "apply the pod network", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := c.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if cluster.PodNetwork.From == k8s.NoPodNetwork {
		c.Reach.Output.Lines(ctx, in.Step)("Windlass applies no pod network, because kubernetes.podNetwork is none.")
		return out, nil
	}
	name, content, err := c.podNetwork(ctx, in, cluster)
	if err != nil {
		return out, err
	}
	manifest, err := podnetwork.Manifest(ctx, content, cluster.PodNetwork, podnetwork.Target{
		PodCIDR: cluster.Params.MasterNode.PodCIDR, Version: cluster.Params.KubernetesVersion,
	})
	if err != nil {
		return out, err
	}
	_, err = c.Reach.RunOnAny(ctx, in, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		apply := reach.Command(cluster, scripts.ApplyManifest{Member: m, Manifest: name})
		apply.Stdin = scripts.Stdin(scripts.Input{Name: "manifest", Value: string(manifest)})
		return apply
	})
	return out, err
}

// podNetwork reads the file of the pod network. Its name is for people.
func (c *Activities) podNetwork(
	ctx context.Context, in reach.ClusterInput, cluster reach.ClusterContext,
) (name string, content []byte, err error) {
	if path := cluster.Params.CniManifestPath; path != "" {
		content, err = cluster.OptionalFile(ctx, path)
		return path, content, err
	}
	name = "the pod network of kubernetes.podNetwork"
	if cluster.PodNetwork.From == "" {
		return name, nil, lcm.Errorf(lcm.KindInvalid, "This cluster has no pod network: its request names none "+
			"(cni_manifest_path), and kubernetes.podNetwork is not set for this worker. Set it for workers and API servers, "+
			"restart them, and retry the operation.")
	}
	file, onNode := cluster.PodNetwork.InImage()
	if !onNode {
		content, err = podnetwork.Read(ctx, cluster.PodNetwork, c.Files)
		return name, content, err
	}
	err = c.Reach.OnAny(ctx, in.OpOccID, in.ControlPlanes, func(host reach.Host, _ lcm.Node) (err error) {
		content, err = host.Get(ctx, file, podnetwork.MaxSize)
		return err
	})
	return name, content, err
}
