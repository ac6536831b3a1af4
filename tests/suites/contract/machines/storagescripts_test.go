package machines

import (
	"strings"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// serveVolumes sets up the storage server.
func (s *stage) serveVolumes() {
	const absent = "00000000-0000-4000-8000-000000000000"
	volumes := func(id string, timeout int) scripts.Script {
		return scripts.SetUpVolumes{
			Node: "storage-1", Volumes: []scripts.MountedVolume{{ID: id, Directory: "/volume"}}, Timeout: timeout, LockFor: 60,
		}
	}
	exports := func(directories ...string) scripts.Script {
		e := scripts.ExportVolumes{Node: "storage-1", Mounts: []string{"/volume"}, LockFor: 60, Timeout: 60}
		for _, directory := range directories {
			e.Exports = append(e.Exports, scripts.Export{Directory: directory, Networks: []string{s.network.CIDR.String()}})
		}
		return e
	}
	s.play(
		turn{on: "storage-1", script: volumes(absent, 1), want: outcome{
			kind: lcm.KindBroken, says: "no disk of this machine is the volume " + absent + ": none has its id as serial " +
				"number; see that it is attached",
		}},
		turn{on: "storage-1", script: exports("/volume/pv1"), want: outcome{
			kind: lcm.KindBroken, says: "the volume of /volume is not mounted; see that it is attached",
		}},
		turn{
			on: "storage-1", script: volumes(s.volume, 30), want: results("volume=<volume>|/dev/vdb|ext4|yes"),
			again: []string{"volume=<volume>|/dev/vdb|ext4|no"},
		},
		turn{on: "storage-1", script: exports("/elsewhere/pv1"), want: outcome{
			kind: lcm.KindInvalid, says: "/elsewhere/pv1 is on none of the volumes, which are mounted to /volume",
		}},
		turn{on: "storage-1", script: exports("/volume/pv1", "/volume/class"), want: results("server=an NFS server")},
	)
}

// useVolumes mounts an export, and makes it a PersistentVolume of the cluster.
func (s *stage) useVolumes() {
	mounts := func(server string, timeout int) scripts.Script {
		return scripts.MountExports{
			Node: "worker-1", Exports: []scripts.RemoteExport{{Server: s.address[server], Directory: "/volume/pv1"}},
			LockFor: 60, Timeout: timeout,
		}
	}
	first := s.member("cp-1")
	register := scripts.RegisterVolumes{Member: first, Manifest: "Files/pv.yaml", Names: []string{"pv-1"}, Timeout: 30}
	s.play(
		turn{on: "worker-1", script: mounts("storage-1", 60)},
		turn{on: "worker-1", script: mounts("cp-1", 1), want: outcome{
			kind: lcm.KindBroken, says: "/volume/pv1 of the storage server cannot be mounted from <cp-1>: ...",
		}},
		turn{on: "cp-1", script: scripts.LookAtVolumes{Member: first}},
		turn{on: "cp-1", script: register, want: missing("manifest")},
		turn{on: "cp-1", script: register, inputs: []scripts.Input{input("manifest", s.volumeManifest())}},
		turn{on: "cp-1", script: scripts.LookAtVolumes{Member: first}, want: results(
			"volume=pv-1|uid|version|Available|||<storage-1>|/volume/pv1|Retain|")},
	)
	s.removeVolume()
}

func (s *stage) volumeManifest() string {
	return `
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteMany]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: nfs
  nfs: {server: "` + s.address["storage-1"] + `", path: /volume/pv1}
`
}

// removeVolume removes the PersistentVolume, but not if it has changed since the script looked at it.
func (s *stage) removeVolume() {
	if s.broken.Load() {
		return
	}
	first := s.member("cp-1")
	fields := strings.Split(s.look("cp-1", scripts.LookAtVolumes{Member: first}).Text("volume"), "|")
	if !assert.Len(s.t, fields, 10) {
		s.broken.Store(true)
		return
	}
	remove := scripts.RemoveVolumes{Member: first, Timeout: 30}
	s.play(
		turn{on: "cp-1", script: remove, want: missing("volumes")},
		turn{
			on: "cp-1", script: remove, inputs: []scripts.Input{input("volumes", "pv-1 "+fields[1]+" 999999999\n")},
			want: outcome{
				kind: lcm.KindUnavailable, says: "the PersistentVolume pv-1 has changed while it was looked at",
			},
		},
		turn{on: "cp-1", script: remove, inputs: []scripts.Input{input("volumes", strings.Join(fields[:3], " ")+"\n")}},
		turn{on: "cp-1", script: scripts.LookAtVolumes{Member: first}},
	)
}

// useStorageClass sets up a storage class with its provisioner, and stops the provisioner.
func (s *stage) useStorageClass() {
	first := s.member("cp-1")
	class := scripts.StorageClassManifest{
		Class: "fast", Provisioner: k8s.ProvisionerOf("fast"), Image: "lab.local/nfs-subdir-external-provisioner:v1",
		Server: s.address["storage-1"], Directory: "/volume/class", Reclaim: k8s.ReclaimDelete,
	}
	manifest, err := class.Render()
	assert.NoError(s.t, err)
	probe, err := class.Probe()
	assert.NoError(s.t, err)
	setUp := scripts.SetUpStorageClass{Member: first, StorageClassManifest: class, Timeout: 120}
	move := scripts.MoveVolumes{
		Member: first, Class: "fast", Provisioner: class.Provisioner, Server: class.Server, Timeout: 30,
	}
	stop := func(name string) scripts.Script {
		return scripts.ScaleProvisioners{Member: first, Classes: []string{name}, Stop: true, Timeout: 60}
	}
	s.play(
		turn{on: "cp-1", script: setUp, want: missing("manifest")},
		turn{on: "cp-1", script: setUp, inputs: []scripts.Input{input("manifest", manifest)}, want: missing("probe")},
		turn{on: "cp-1", script: setUp, inputs: []scripts.Input{input("manifest", manifest), input("probe", probe)}},
		turn{on: "cp-1", script: scripts.LookAtVolumes{Member: first}, want: results(
			"pod=" + scripts.ProvisionerNamespace + "|nfs-fast|Running||<storage-1>|fast")},
		turn{on: "cp-1", script: stop("ghost")},
		turn{on: "cp-1", script: stop("fast")},
		turn{on: "cp-1", script: scripts.LookAtVolumes{Member: first}},
		turn{on: "cp-1", script: move},
	)
}
