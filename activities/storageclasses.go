package activities

import (
	"context"

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
func (s *Storage) SetUpStorageClasses(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = boundary(ctx, "set up the storage classes", err) }()
	defer heartbeat(ctx)()
	cluster, _, err := s.storageOf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	return out, s.onAny(ctx, in.OpOccID, in.ControlPlanes, func(host Host, node lcm.Node) error {
		out.Names = nil
		for i, class := range cluster.Params.StorageClasses {
			address := in.Storage.AddressOf(class.NFSServerCp)
			if address == "" {
				return missing(class.NFSServerCp, "nfs_server_cp")
			}
			move := command(cluster, scripts.MoveVolumes{
				Member: memberOf(cluster, node), Class: class.Name, Provisioner: k8s.ProvisionerOf(class.Name), Server: address,
				Timeout: briefly(cluster),
			})
			move.round, move.limit = i, slack(cluster.Params.Timeouts.NodeReady) // each volume takes time
			if _, err := s.run(ctx, host, in.Step, move); err != nil {
				return err
			}
			setUp, err := setUpClass(cluster, node, class, address)
			if err != nil {
				return err
			}
			setUp.round = i
			if _, err := s.run(ctx, host, in.Step, setUp); err != nil {
				return err
			}
			out.Names = append(out.Names, class.Name)
		}
		return nil
	})
}

func setUpClass(cluster clusterContext, node lcm.Node, class k8s.StorageClassParams, address string) (task, error) {
	limit := cluster.Params.Timeouts.NodeReady
	step := scripts.SetUpStorageClass{
		Member: memberOf(cluster, node), Timeout: limit,
		StorageClassManifest: scripts.StorageClassManifest{
			Class: class.Name, Provisioner: k8s.ProvisionerOf(class.Name), Image: class.Image, Server: address,
			Directory: class.ExportDir,
			Default:   class.Default, Reclaim: class.ReclaimPolicy, Archive: class.ArchiveOnDelete,
		},
	}
	manifest, err := step.StorageClassManifest.Render()
	if err != nil {
		return task{}, lcm.Wrap(lcm.KindBug, err, "Windlass could not write the manifest of the StorageClass %s.", class.Name)
	}
	probe, err := step.Probe()
	if err != nil {
		return task{}, lcm.Wrap(lcm.KindBug, err, "Windlass could not write the probe of the StorageClass %s.", class.Name)
	}
	return task{
		script: step, limit: 2*seconds(limit) + slack(0), parameter: "timeouts.node_ready",
		stdin: scripts.Stdin(scripts.Input{Name: "manifest", Value: manifest}, scripts.Input{Name: "probe", Value: probe}),
	}, nil
}

// StopProvisioners stops the provisioners of the request's storage classes, so that no volume is made or deleted while
// the storage server is replaced. After that it returns a Conflict when a volume is in use; the error names the claims
// and the Pods.
//
// Idempotent: a stopped provisioner stays stopped. Takes seconds. It force-deletes a pod that hangs on a dead storage
// server.
func (s *Storage) StopProvisioners(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = boundary(ctx, "stop the provisioners", err) }()
	defer heartbeat(ctx)()
	if err := s.scaleProvisioners(ctx, in, true); err != nil {
		return out, err
	}
	return out, s.withUsage(ctx, in, func(_ clusterContext, u usage, _ Host, _ lcm.Node) error { return u.refusal() })
}

// StartProvisioners starts the provisioners that StopProvisioners has stopped. It does not wait until they work: the
// old storage server may not answer. Idempotent. Takes seconds.
func (s *Storage) StartProvisioners(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = boundary(ctx, "start the provisioners", err) }()
	defer heartbeat(ctx)()
	return out, s.scaleProvisioners(ctx, in, false)
}

func (s *Storage) scaleProvisioners(ctx context.Context, in PersistentVolumesInput, stop bool) error {
	if _, _, err := s.storageOf(ctx, in.OpOccID); err != nil {
		return err
	}
	_, err := s.runOnAny(ctx, in.ClusterInput, func(cluster clusterContext, m scripts.Member) task {
		step := scripts.ScaleProvisioners{Member: m, Stop: stop, Timeout: briefly(cluster)}
		for _, class := range cluster.Params.StorageClasses {
			step.Classes = append(step.Classes, class.Name)
		}
		return task{
			script: step, limit: seconds(cluster.Params.Timeouts.Command * max(1, len(step.Classes))),
			parameter: "timeouts.command",
		}
	})
	return err
}
