package storageserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/locate"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/vnfpkg/containers"
)

// PersistentVolumesInput names the control planes to ask, and the storage server of the volumes.
type PersistentVolumesInput struct {
	reach.ClusterInput
	// Storage is nil when the former place of the storage server is unknown.
	Storage *lcm.StorageServer `json:"storage,omitempty"`
	// KeepVolumes is set when the replaced storage server gets its volumes back. Then the volumes of storage classes and
	// their claims stay; only Pods must not use them.
	KeepVolumes bool `json:"keepVolumes,omitempty"`
}

// PersistentVolumesOutput names the registered, removed or checked PersistentVolumes.
type PersistentVolumesOutput struct {
	Names []string `json:"names,omitempty"`
}

// manifest is one of the package's manifests of volumes.
type manifest struct {
	k8s.PVRegistrationParams
	*containers.PersistentVolumes
}

// manifests reads the manifests that the request names.
func manifests(ctx context.Context, cluster reach.ClusterContext) (out []manifest, err error) {
	for _, pv := range cluster.Params.PersistentVolumes {
		text, err := cluster.OptionalFile(ctx, pv.PVManifestFilePath)
		if err != nil {
			return nil, err
		}
		volumes, err := containers.ReadPersistentVolumes(text)
		if err != nil {
			return nil, lcm.Wrap(lcm.KindInvalid, err, "The file %s of the package %s.", pv.PVManifestFilePath,
				lcm.Sentence(err))
		}
		out = append(out, manifest{pv, volumes})
	}
	return out, nil
}

// RegisterPersistentVolumes applies the manifests of the package, with the storage server's address in them. It waits
// until the volumes are Available; volumes that existed before may be Bound.
//
// Idempotent: applying the same objects again changes nothing. Takes seconds.
func (s *Activities) RegisterPersistentVolumes(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "register the persistent volumes", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, _, err := storageOf(ctx, s.Reach, in.OpOccID)
	if err != nil {
		return out, err
	}
	list, err := manifests(ctx, cluster)
	if err != nil {
		return out, err
	}
	return out, s.Reach.OnAny(ctx, in.OpOccID, in.ControlPlanes, func(host reach.Host, node lcm.Node) error {
		out.Names = nil
		for i, m := range list {
			address := in.Storage.AddressOf(m.NFSServerCp)
			if address == "" {
				return locate.Missing(m.NFSServerCp, "nfs_server_cp")
			}
			text, err := m.WithServer(address)
			if err != nil {
				return lcm.Wrap(lcm.KindInvalid, err, "The file %s of the package %s.", m.PVManifestFilePath, lcm.Sentence(err))
			}
			register := reach.Command(cluster, scripts.RegisterVolumes{
				Member: reach.MemberOf(
					cluster, node,
				), Manifest: m.PVManifestFilePath, Names: m.Names(), Timeout: reach.Briefly(cluster),
			})
			register.Stdin, register.Round = scripts.Stdin(scripts.Input{Name: "manifest", Value: text}), i
			if _, err := s.Reach.Run(ctx, host, in.Step, register); err != nil {
				return err
			}
			out.Names = append(out.Names, m.Names()...)
		}
		return nil
	})
}

// CheckPersistentVolumes returns a Conflict when a volume of the storage server is in use. The error names the claims
// and the Pods.
//
// Idempotent: it only reads. Takes seconds.
func (s *Activities) CheckPersistentVolumes(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "look at the persistent volumes", err) }()
	defer activities.Heartbeat(ctx)()
	return out, s.withUsage(ctx, in, func(_ reach.ClusterContext, u usage, _ reach.Host, _ lcm.Node) error {
		out.Names = u.names()
		return u.refusal()
	})
}

// RemovePersistentVolumes deletes the volumes of the package's manifests from the cluster. If a volume of the storage
// server is in use, it deletes nothing and returns a Conflict that names the claims and the Pods. The data on the
// storage server stays.
//
// Idempotent: a missing volume counts as removed. It deletes a volume only if it has not changed since it was read, so
// a volume that a claim binds meanwhile stays. Takes seconds.
func (s *Activities) RemovePersistentVolumes(
	ctx context.Context, in PersistentVolumesInput,
) (out PersistentVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "delete the persistent volumes", err) }()
	defer activities.Heartbeat(ctx)()
	return out, s.withUsage(ctx, in, func(cluster reach.ClusterContext, u usage, host reach.Host, node lcm.Node) error {
		if err := u.refusal(); err != nil || len(u.ours) == 0 {
			return err
		}
		out.Names = u.names()
		var lines strings.Builder
		for _, v := range u.ours {
			fmt.Fprintln(&lines, v.name, v.uid, v.version)
		}
		remove := reach.Command(
			cluster, scripts.RemoveVolumes{Member: reach.MemberOf(cluster, node), Timeout: reach.Briefly(cluster)},
		)
		remove.Stdin = scripts.Stdin(scripts.Input{Name: "volumes", Value: lines.String()})
		_, err := s.Reach.Run(ctx, host, in.Step, remove)
		return err
	})
}

// withUsage reads the usage of the volumes on a control plane, and then does something through the same control plane.
func (s *Activities) withUsage(
	ctx context.Context, in PersistentVolumesInput, do func(reach.ClusterContext, usage, reach.Host, lcm.Node) error,
) error {
	cluster, _, err := storageOf(ctx, s.Reach, in.OpOccID)
	if err != nil {
		return err
	}
	list, err := manifests(ctx, cluster)
	if err != nil {
		return err
	}
	return s.Reach.OnAny(ctx, in.OpOccID, in.ControlPlanes, func(host reach.Host, node lcm.Node) error {
		results, err := s.Reach.Run(
			ctx, host, in.Step, reach.Command(cluster, scripts.LookAtVolumes{Member: reach.MemberOf(cluster, node)}),
		)
		if err != nil {
			return err
		}
		return do(cluster, usageOf(results, list, in, cluster.Params.StorageClasses), host, node)
	})
}

// seenVolume is a PersistentVolume as read from Kubernetes.
type seenVolume struct{ name, uid, version, phase, claim, claimUID, server, path, reclaim, provisioner string }

// inUse tells whether a claim has the volume, or is about to get it: Kubernetes writes the claim's id before the phase.
// When the claim is deleted, the volume becomes Released.
func (v seenVolume) inUse() bool {
	return v.phase == "Bound" || v.claimUID != "" && v.phase != "Released" && v.phase != "Failed"
}

// usage describes the users of a storage server's volumes.
type usage struct {
	ours []seenVolume // volumes of the package's manifests
	used []string     // the users, as clauses
	stay int          // entries of used that would be free without Pods on their claims
	// kept is set when some entries would be no problem if the storage server got its volumes back.
	kept bool
}

// usageOf reads the results of LookAtVolumes. It counts the volumes of the manifests, the volumes of the storage
// classes, and all other volumes at the storage server's addresses.
func usageOf(
	results scripts.Results, list []manifest, in PersistentVolumesInput, classes []k8s.StorageClassParams,
) (u usage) {
	var names []string
	for _, m := range list {
		names = append(names, m.Names()...)
	}
	addresses := in.Storage.AllAddresses()
	pods := results.Texts("pod")
	for _, line := range results.Texts("volume") {
		f := reach.Fields(line, 10)
		v := seenVolume{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9]}
		if slices.ContainsFunc(classes,
			func(c k8s.StorageClassParams) bool { return k8s.ProvisionerOf(c.Name) == v.provisioner }) {
			u.addOfClass(v, podsWith(pods, v.claim), in.KeepVolumes)
			continue
		}
		ours := slices.Contains(names, v.name)
		if ours {
			u.ours = append(u.ours, v)
		}
		if (ours || slices.Contains(addresses, v.server)) && v.inUse() {
			u.used = append(u.used, v.name+" (claim "+v.claim+podsWith(pods, v.claim)+")")
		}
	}
	for _, line := range pods {
		f := reach.Fields(line, 6)
		if f[0] == scripts.ProvisionerNamespace && f[5] != "" { // a provisioner; Windlass stops it first
			continue
		}
		if f[4] != "" && slices.Contains(addresses, f[4]) && !ended(f[2]) {
			u.used = append(u.used, "the storage server itself, mounted by the Pod "+f[0]+"/"+f[1])
		}
	}
	return u
}

// addOfClass adds a volume that a provisioner made for a claim. With keep, the data stays, and only Pods are a problem.
// Otherwise the volume must not be lost if a claim uses it or its class retains it.
func (u *usage) addOfClass(v seenVolume, pods string, keep bool) {
	switch {
	case strings.HasPrefix(v.claim, scripts.ProvisionerNamespace+"/"): // of an interrupted trial, without data
	case keep && v.inUse() && pods != noPod:
		u.used = append(u.used, v.name+" (claim "+v.claim+pods+")")
		u.stay++
	case keep:
	case v.inUse():
		u.used, u.kept = append(u.used, v.name+" (claim "+v.claim+pods+")"), true
	case v.phase == "Available": // someone has made it Available
		u.used, u.kept = append(u.used, v.name+" (it waits for a claim)"), true
	case v.reclaim == k8s.ReclaimRetain:
		u.used, u.kept = append(u.used, v.name+" (retained after its claim "+v.claim+" was deleted)"), true
	}
}

// noPod is the answer of podsWith if no Pod uses the claim.
const noPod = ", used by no Pod"

// podsWith names the pods that use a claim, as the end of a clause.
func podsWith(pods []string, claim string) string {
	var names []string
	for _, line := range pods {
		if f := reach.Fields(line, 5); f[3] != "" && f[0]+"/"+f[3] == claim && !ended(f[2]) {
			names = append(names, f[0]+"/"+f[1])
		}
	}
	const most = 5
	switch {
	case len(names) == 0:
		return noPod
	case len(names) == 1:
		return ", used by the Pod " + names[0]
	case len(names) > most:
		return fmt.Sprintf(", used by the Pods %s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return ", used by the Pods " + strings.Join(names, ", ")
}

func ended(phase string) bool { return phase == "Succeeded" || phase == "Failed" }

func (u usage) names() (out []string) {
	for _, v := range u.ours {
		out = append(out, v.name)
	}
	return out
}

// refusal returns a Conflict when a volume is in use.
func (u usage) refusal() error {
	if len(u.used) == 0 {
		return nil
	}
	todo := "End these Pods and delete these claims first."
	switch {
	case u.stay == len(u.used):
		todo = "End these Pods first; their claims, which are of storage classes, can stay."
	case u.kept:
		todo += " With keep_volumes the claims of storage classes can stay, and only their Pods must end."
	}
	return lcm.Errorf(lcm.KindConflict, "The storage server cannot be replaced while it is in use: %s. %s",
		strings.Join(u.used, "; "), todo)
}
