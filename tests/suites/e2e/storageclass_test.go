package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// classesRequest returns the request of the storage sample with two storage classes on another export.
func (b *bed) classesRequest(t *testing.T, name string, edit func(cluster map[string]any)) map[string]any {
	t.Helper()
	return b.SampleRequest(t, "storage", name, func(_, cluster map[string]any) {
		s := cluster["storage_server"].(map[string]any)
		s["nfs_server_setup_params"] = append(s["nfs_server_setup_params"].([]any),
			map[string]any{"export_dir": "/volume/files", "export_to": b.Net0(t).String()})
		cluster["storage_class_params"] = []any{
			map[string]any{
				"name": "files", "export_dir": "/volume/files",
				"image": "registry.example.com/nfs-subdir-external-provisioner:v4.0.18", "default": true,
			},
			map[string]any{
				"name": "archive", "export_dir": "/volume/files",
				"image": "registry.example.com/nfs-subdir-external-provisioner:v4.0.18", "reclaim_policy": "Retain",
			},
		}
		if edit != nil {
			edit(cluster)
		}
	})
}

// requireClasses checks that the VNF's storage server provides both classes, and that the cluster has no violations. It
// returns the id of the disk.
func (b *bed) requireClasses(t *testing.T) (volume string) {
	t.Helper()
	s := b.Storage(t)
	require.Len(t, s.Disks, 1)
	require.Equal(t, 1, s.Disks[0].Made, "a file system is made once")
	clusters := b.Clusters(t)
	require.Len(t, clusters, 1)
	require.Empty(t, clusters[0].Violations)
	require.Len(t, clusters[0].StorageClasses, 2)
	for i, want := range []string{"archive", "files"} {
		class := clusters[0].StorageClasses[i]
		require.Equal(t, want, class.Name)
		require.True(t, class.Running, want)
		require.Equal(t, "/volume/files", class.Path)
		require.Equal(t, want == "files", class.Default)
		require.Equal(t, map[string]string{"archive": "Retain", "files": "Delete"}[want], class.Reclaim)
	}
	return s.Disks[0].VolumeID
}

// storageClasses makes a cluster whose claims get their own directories, and checks their volumes after every kind of
// heal.
func storageClasses(t *testing.T, b *bed) {
	vnf := b.Create(t, "classes")
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate",
		b.classesRequest(t, "classes", func(cluster map[string]any) {
			classes := cluster["storage_class_params"].([]any)
			classes[0].(map[string]any)["export_dir"] = "/volume/nfs/pv1"
			classes[0].(map[string]any)["reclaim_policy"] = "Recycle"
			classes[1].(map[string]any)["export_dir"] = "/volume/elsewhere"
			delete(classes[1].(map[string]any), "image")
		}))
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	for _, said := range []string{
		"storage_class_params[0].reclaim_policy", "storage_class_params[1].export_dir", "storage_class_params[1].image",
		"pv_registration_params[0].pv_manifest_file_path", "where claims of the StorageClass files get their directories",
	} {
		require.Contains(t, string(a.Body), said, "all at once")
	}

	op := b.Begin(t, vnf, "instantiate", b.classesRequest(t, "classes", nil))
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "classes-instantiate")
	require.Equal(t, []string{"DONE"}, stepStates(t, b, op, "Set up the storage classes"))
	disk := b.requireClasses(t)

	b.claimAsThePageSays(t, vnf)
	b.classesInUse(t, vnf)

	// The heal fails before it changes anything, and is rolled back.
	b.ScriptFault(t, map[string]any{
		"script": "remove-volumes", "times": 1, "exit_code": 1, "output": "windlass: something holds it.",
	})
	op = b.healStorage(t, vnf, true)
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "classes-heal-rollback")
	require.Equal(t, disk, b.requireClasses(t), "the provisioners work again")

	// The heal keeps the volume, and so the claims stay. A claim whose volume has another address moves.
	b.Provision(t, vnf, "archive", "default/old", "192.0.2.7")
	op = b.healStorage(t, vnf, true)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "classes-heal-keep")
	require.Equal(t, disk, b.requireClasses(t))
	bound := b.boundVolumes(t)
	require.Len(t, bound, 2)
	require.NotEqual(t, "192.0.2.7", bound["default/old"].server)
	require.Equal(t, bound["default/data"].server, bound["default/old"].server)

	// The heal replaces the volume, but only when no data would be lost.
	b.Bind(t, vnf, bound["default/data"].name, "")
	b.Bind(t, vnf, bound["default/old"].name, "")
	got := b.Await(t, b.healStorage(t, vnf, false), quick, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"],
		bound["default/old"].name+" (retained after its claim default/old was deleted)")
	op = b.Heal(t, vnf)
	b.Await(t, op, quick, "COMPLETED")
	require.NotEqual(t, disk, b.requireClasses(t))
	require.Empty(t, b.boundVolumes(t))
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// claimAsThePageSays runs the command of the page about the lab that makes a volume of a storage class.
func (b *bed) claimAsThePageSays(t *testing.T, vnf string) {
	t.Helper()
	commands := slices.DeleteFunc(commandsOf(session{page: "lab.md"}.text(t)), func(c pasted) bool {
		return !strings.HasPrefix(c.text, claimOfAClass)
	})
	require.Len(t, commands, 1)
	r := newReader(t, b)
	r.run(t, sessionStart+"set -e\neval \"$(windlass-lab openrc)\"\nSTORAGE="+vnf+"\n"+commands[0].text+"\n")
}

func stepStates(t *testing.T, b *bed, op, title string) (out []string) {
	t.Helper()
	for _, s := range b.Steps(t, op) {
		if s.Title == title {
			out = append(out, s.State)
		}
	}
	return out
}

func (b *bed) healStorage(t *testing.T, vnf string, keep bool) (op string) {
	t.Helper()
	return b.Begin(t, vnf, "heal", map[string]any{
		"vnfcInstanceId":   []string{b.VnfcOf(t, vnf, testbed.StorageVdu)},
		"additionalParams": map[string]any{"keep_volumes": keep},
	})
}

type boundVolume struct{ name, uid, server string }

// boundVolumes returns the volumes of claims, by the claims.
func (b *bed) boundVolumes(t *testing.T) map[string]boundVolume {
	t.Helper()
	out := map[string]boundVolume{}
	for _, v := range b.Clusters(t)[0].PersistentVolumes {
		if v.Phase == "Bound" {
			out[v.Claim] = boundVolume{v.Name, v.UID, v.Server}
		}
	}
	return out
}

// classesInUse heals a storage server that a claim or a Pod needs. Windlass refuses it and changes nothing.
func (b *bed) classesInUse(t *testing.T, vnf string) {
	t.Helper()
	before := b.boundVolumes(t)
	name := before["default/data"].name
	got := b.Await(t, b.healStorage(t, vnf, false), quick, "ROLLED_BACK")
	detail := got["error"].(map[string]any)["detail"]
	require.Contains(t, detail, name+" (claim default/data, used by no Pod)")
	require.Contains(t, detail, "With keep_volumes the claims of storage classes can stay")

	worker := ""
	for _, m := range b.Clusters(t)[0].Members {
		if strings.HasPrefix(m.Node, "worker") {
			worker = m.Node
		}
	}
	pod := map[string]any{"name": "web", "node": worker, "claim": "data"}
	require.Equal(t, http.StatusNoContent, b.Lab(t, http.MethodPost, "/clusters/"+vnf+"/pods", pod).Status)
	got = b.Await(t, b.healStorage(t, vnf, true), quick, "ROLLED_BACK")
	detail = got["error"].(map[string]any)["detail"]
	require.Contains(t, detail, name+" (claim default/data, used by the Pod default/web)")
	require.Contains(t, detail, "their claims, which are of storage classes, can stay")
	pod["claim"] = ""
	require.Equal(t, http.StatusNoContent, b.Lab(t, http.MethodPost, "/clusters/"+vnf+"/pods", pod).Status)
	require.Equal(t, before, b.boundVolumes(t), "nothing was touched")
	b.requireClasses(t)
}
