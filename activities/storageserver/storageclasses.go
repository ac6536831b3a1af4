package storageserver

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/locate"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// SetUpStorageClasses makes or replaces the StorageClasses of the request. Each has its own provisioner in the cluster:
// it mounts the storage server's export and makes a directory there for each claim. Volumes from a former address of
// the storage server first move to its present address; they keep their names and claims. The activity ends when every
// provisioner is available and has made and deleted a test volume.
//
// Idempotent: applying the same objects again changes nothing, and an interrupted move of volumes goes on. Takes
// seconds, or as long as the nodes pull the image (timeouts.node_ready).
func (s *Activities) SetUpStorageClasses(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "set up the storage classes", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, _, err := storageOf(ctx, s.Reach, in.OpOccID)
	if err != nil {
		return out, err
	}
	return out, s.Reach.OnAny(ctx, in.OpOccID, in.ControlPlanes, func(host reach.Host, node lcm.Node) error {
		out.Names = nil
		for i, class := range cluster.Params.StorageClasses {
			address := in.Storage.AddressOf(class.NFSServerCp)
			if address == "" {
				return locate.Missing(class.NFSServerCp, "nfs_server_cp")
			}
			move := reach.Command(cluster, scripts.MoveVolumes{
				Member: reach.MemberOf(
					cluster, node,
				), Class: class.Name, Provisioner: k8s.ProvisionerOf(class.Name), Server: address,
				Timeout: reach.Briefly(cluster),
			})
			move.Round, move.Limit = i, reach.Slack(cluster.Params.Timeouts.NodeReady) // each volume takes time
			if _, err := s.Reach.Run(ctx, host, in.Step, move); err != nil {
				return err
			}
			setUp, err := setUpClass(cluster, node, class, address)
			if err != nil {
				return err
			}
			setUp.Round = i
			if _, err := s.Reach.Run(ctx, host, in.Step, setUp); err != nil {
				return err
			}
			out.Names = append(out.Names, class.Name)
		}
		return nil
	})
}

func setUpClass(
	cluster reach.ClusterContext, node lcm.Node, class k8s.StorageClassParams, address string,
) (reach.Task, error) {
	limit := cluster.Params.Timeouts.NodeReady
	step := scripts.SetUpStorageClass{
		Member: reach.MemberOf(cluster, node), Timeout: limit,
		StorageClassManifest: scripts.StorageClassManifest{
			Class: class.Name, Provisioner: k8s.ProvisionerOf(class.Name), Image: class.Image, Server: address,
			Directory: class.ExportDir,
			Default:   class.Default, Reclaim: class.ReclaimPolicy, Archive: class.ArchiveOnDelete,
		},
	}
	manifest, err := step.StorageClassManifest.Render()
	if err != nil {
		return reach.Task{}, lcm.Wrap(
			lcm.KindBug, err, "Windlass could not write the manifest of the StorageClass %s.", class.Name,
		)
	}
	probe, err := step.Probe()
	if err != nil {
		return reach.Task{}, lcm.Wrap(
			lcm.KindBug, err, "Windlass could not write the probe of the StorageClass %s.", class.Name,
		)
	}
	return reach.Task{
		Script: step, Limit: 2*reach.Seconds(limit) + reach.Slack(0), Parameter: "timeouts.node_ready",
		Stdin: scripts.Stdin(scripts.Input{Name: "manifest", Value: manifest}, scripts.Input{Name: "probe", Value: probe}),
	}, nil
}

// StopProvisioners stops the provisioners of the request's storage classes, so that no volume is made or deleted while
// the storage server is replaced. After that it returns a Conflict when a volume is in use; the error names the claims
// and the Pods.
//
// Idempotent: a stopped provisioner stays stopped. Takes seconds. It force-deletes a pod that hangs on a dead storage
// server.
func (s *Activities) StopProvisioners(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "stop the provisioners", err) }()
	defer activities.Heartbeat(ctx)()
	if err := s.scaleProvisioners(ctx, in, true); err != nil {
		return out, err
	}
	return out, s.withUsage(
		ctx, in, func(_ reach.ClusterContext, u usage, _ reach.Host, _ lcm.Node) error { return u.refusal() },
	)
}

// StartProvisioners starts the provisioners that StopProvisioners has stopped. It does not wait until they work: the
// old storage server may not answer. Idempotent. Takes seconds.
func (s *Activities) StartProvisioners(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "start the provisioners", err) }()
	defer activities.Heartbeat(ctx)()
	return out, s.scaleProvisioners(ctx, in, false)
}

func (s *Activities) scaleProvisioners(ctx context.Context, in PersistentVolumesInput, stop bool) error {
	if _, _, err := storageOf(ctx, s.Reach, in.OpOccID); err != nil {
		return err
	}
	_, err := s.Reach.RunOnAny(ctx, in.ClusterInput, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		step := scripts.ScaleProvisioners{Member: m, Stop: stop, Timeout: reach.Briefly(cluster)}
		for _, class := range cluster.Params.StorageClasses {
			step.Classes = append(step.Classes, class.Name)
		}
		return reach.Task{
			Script: step, Limit: reach.Seconds(cluster.Params.Timeouts.Command * max(1, len(step.Classes))),
			Parameter: "timeouts.command",
		}
	})
	return err
}
