package storageserver_test

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/activities/storageserver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/scripts"
)

// storageSite is a cluster whose storage server is a separate fake node.
type storageSite struct {
	activitytest.Site
	fake    *activitytest.FakeSite
	output  *activitytest.Output
	storage *storageserver.Activities
	server  lcm.StorageServer
}

func newStorageSite(t *testing.T) storageSite {
	t.Helper()
	s, fake, secrets, output := activitytest.NewFake(t, 3, 2, func(p *k8s.Params) {
		p.StorageServer = &k8s.StorageServerParams{
			SSHCpName: "storage_CP", NicCpName: "storage_CP", Username: "debian",
			Volumes: []k8s.CinderVolumeParams{{VolumeResourceID: "vol", MountTo: "/volume"}},
			Exports: []k8s.NFSExportParams{
				{ExportDir: "/volume/a", ExportTo: "10.0.0.0/24"},
				{ExportDir: "/volume/b", ExportTo: "10.0.0.0/24"},
				{ExportDir: "/volume/a", ExportTo: "10.1.0.7"},
			},
		}
		p.PersistentVolumes = []k8s.PVRegistrationParams{{PVManifestFilePath: "Files/pv.yaml", NFSServerCp: "storage_CP"}}
		p.Proxy = &k8s.ProxyParams{HTTPProxy: lcm.Secret{Ref: "proxy"}, NoProxy: "inside.example"}
	})
	secrets.Values["proxy"] = "http://me:s3cr3t@proxy.example:3128"
	clusters := s.Reach.Vnfs.(*activitytest.FixedVnf)
	clusters.Context.PackageFile = func(context.Context, string) ([]byte, error) {
		return []byte("kind: PersistentVolume\nmetadata: {name: a}\nspec: {nfs: {server: 0.0.0.0, path: " +
			"/volume/a}}\n---\nkind: PersistentVolume\nmetadata: {name: b}\nspec: {nfs: {path: /volume/b}}\n"), nil
	}
	node := lcm.Node{
		Name: "storage-0000001f", Role: lcm.Storage, ServerID: "s1", Address: "10.0.0.31", SSHAddress: "198.51.100.31",
	}
	fake.Nodes[node.Name] = &activitytest.FakeNode{Site: fake, Node: node, Files: map[string]string{}}
	return storageSite{
		Site: s, fake: fake, output: output, storage: &storageserver.Activities{Reach: s.Reach},
		server: lcm.StorageServer{
			Node: node, Volumes: []lcm.StorageVolume{{ResourceID: "vol", VolumeID: activitytest.VolumeID, ServerID: "s1"}},
			Addresses: []lcm.CpAddress{{Cp: "storage_CP", Address: "10.0.0.31"}},
		},
	}
}

func (s storageSite) volumes() storageserver.PersistentVolumesInput {
	return storageserver.PersistentVolumesInput{ClusterInput: s.Cluster(), Storage: &s.server}
}

// params returns the parameters and the stdin of the last run of a script.
func (s storageSite) params(t *testing.T, script string) (params, stdin map[string]string) {
	t.Helper()
	for _, cmd := range slices.Backward(s.fake.Ran) {
		if name, params := activitytest.ReadScript(cmd.Script); name == script {
			return params, activitytest.ReadStdin(cmd.Stdin)
		}
	}
	require.Fail(t, "it did not run", script)
	return nil, nil
}

func TestStorageServer_isSetUpTwiceAsOnce(t *testing.T) {
	s := newStorageSite(t)
	s.fake.Replies["set-up-volumes"] = []string{
		scripts.ResultPrefix + "volume=" + activitytest.VolumeID + "|/dev/vdb|ext4|yes",
	}
	s.fake.Replies["export-volumes"] = []string{scripts.ResultPrefix + "server=kernel"}
	for range 2 {
		activitytest.Must(t, s.storage.CheckStorageServer, s.Tracked(s.server.Node))
		made := activitytest.Must(t, s.storage.SetUpVolumes, storageserver.SetUpVolumesInput{
			NodeInput: s.Tracked(s.server.Node),
			Volumes:   s.server.Volumes,
		})
		assert.Equal(t, []string{activitytest.VolumeID}, made.Formatted)
		assert.Equal(t, "kernel", activitytest.Must(t, s.storage.ExportVolumes, s.Tracked(s.server.Node)).Server)
		activitytest.Must(
			t,
			s.storage.MountExports,
			storageserver.MountExportsInput{NodeInput: s.Tracked(s.Nodes[3]), Storage: s.server},
		)
		assert.Equal(t, []string{"a", "b"}, activitytest.Must(t, s.storage.RegisterPersistentVolumes, s.volumes()).Names)
	}
	set, _ := s.params(t, "set-up-volumes")
	assert.Equal(t, activitytest.VolumeID+"=/volume", set["VOLUMES"])
	exported, in := s.params(t, "export-volumes")
	assert.Equal(t, "/volume/a=10.0.0.0/24,10.1.0.7 /volume/b=10.0.0.0/24", exported["EXPORTS"])
	assert.Equal(t, "/volume", exported["MOUNTS"])
	assert.Contains(t, exported["NO_PROXY_LIST"], "inside.example")
	assert.Equal(t, "http://me:s3cr3t@proxy.example:3128", in["http_proxy"])
	mounted, _ := s.params(t, "mount-exports")
	assert.Equal(t, "10.0.0.31=/volume/a 10.0.0.31=/volume/b", mounted["EXPORTS"])
	registered, in := s.params(t, "register-volumes")
	assert.Equal(t, "a b", registered["NAMES"])
	assert.Equal(t, 2, strings.Count(in["manifest"], "server: 10.0.0.31"), in["manifest"])
	assert.NotContains(t, strings.Join(s.output.Shown, "\n"), "s3cr3t")
}

func (s storageSite) withClasses() storageSite {
	s.Reach.Vnfs.(*activitytest.FixedVnf).Params.StorageClasses = []k8s.StorageClassParams{
		{
			Name: "files", ExportDir: "/volume/a/files", NFSServerCp: "storage_CP", Image: "registry.example.com/nfs:v4",
			Default: true, ReclaimPolicy: "Delete", ArchiveOnDelete: true,
		},
		{
			Name: "kept", ExportDir: "/volume/b", NFSServerCp: "storage_CP", Image: "registry.example.com/nfs:v4",
			ReclaimPolicy: "Retain",
		},
	}
	return s
}

func TestStorageClasses_areSetUpTwiceAsOnce(t *testing.T) {
	s := newStorageSite(t).withClasses()
	assert.Equal(t, []string{"files", "kept"}, activitytest.Must(t, s.storage.SetUpStorageClasses, s.volumes()).Names)
	ids := map[string]bool{}
	for _, cmd := range s.fake.Ran {
		ids[cmd.ID] = true
	}
	assert.Len(t, ids, 4, "every script of an activity has an id of its own")
	assert.Equal(t, []string{"files", "kept"}, activitytest.Must(t, s.storage.SetUpStorageClasses, s.volumes()).Names)
	params, in := s.params(t, "set-up-storage-class")
	assert.Equal(t, "kept", params["CLASS"])
	assert.Equal(t, "nfs-kept", params["DEPLOYMENT"])
	for _, part := range []string{
		`server: "10.0.0.31"`, `path: "/volume/b"`, `image: "registry.example.com/nfs:v4"`,
		"reclaimPolicy: Retain", `archiveOnDelete: "false"`, `provisioner: "nfs.windlass/kept"`,
	} {
		assert.Contains(t, in["manifest"], part)
	}
	assert.Contains(t, in["probe"], `name: "windlass-probe-kept"`)
	moved, _ := s.params(t, "move-volumes")
	assert.Equal(t, []string{"nfs.windlass/kept", "10.0.0.31"}, []string{moved["PROVISIONER"], moved["SERVER"]})

	s.server.Addresses = nil
	_, err := activitytest.Do(t, s.storage.SetUpStorageClasses, s.volumes())
	require.ErrorContains(t, err, `no resource "storage_CP": correct nfs_server_cp`)
}

func TestProvisioners_stopBeforeTheLastLook(t *testing.T) {
	s := newStorageSite(t).withClasses()
	s.sees("volume pvc-1|u1|7|Bound|shop/data|c1|10.0.0.31|/volume/a/files/x|Delete|nfs.windlass/files")
	in := s.volumes()
	for range 2 {
		_, err := activitytest.Do(t, s.storage.StopProvisioners, in)
		require.ErrorContains(t, err, "pvc-1 (claim shop/data, used by no Pod)")
	}
	in.KeepVolumes = true
	activitytest.Must(t, s.storage.StopProvisioners, in)
	params, _ := s.params(t, "scale-provisioners")
	assert.Equal(t, []string{"files kept", "yes"}, []string{params["CLASSES"], params["STOP"]})
	for range 2 {
		activitytest.Must(t, s.storage.StartProvisioners, in)
		params, _ = s.params(t, "scale-provisioners")
		assert.Equal(t, "no", params["STOP"])
	}
}

// TestVolumesOfClasses_areLostInNoHeal checks what happens to the volumes of claims when their storage server is
// replaced.
func TestVolumesOfClasses_areLostInNoHeal(t *testing.T) {
	const (
		bound    = "volume pvc-1|u1|7|Bound|shop/data|c1|10.0.0.31|/volume/a/files/x|Delete|nfs.windlass/files"
		moved    = "volume pvc-1|u1|7|Bound|shop/data|c1|192.0.2.7|/volume/a/files/x|Delete|nfs.windlass/files"
		pod      = "pod shop|web|Running|data||"
		ended    = "pod shop|task|Succeeded|data||"
		ofPod    = "volume pvc-6|u6|7|Bound|shop/web-scratch|c6|10.0.0.31|/volume/a/files/s|Delete|nfs.windlass/files" // of an ephemeral volume
		scratch  = "pod shop|web|Running|web-scratch|"
		released = "volume pvc-2|u2|8|Released|shop/old|c2|10.0.0.31|/volume/b/y|Retain|nfs.windlass/kept"
		dying    = "volume pvc-3|u3|9|Released|shop/gone|c3|10.0.0.31|/volume/a/files/z|Delete|nfs.windlass/files"
		own      = "pod windlass-storage|nfs-files-1|Running||10.0.0.31|files"
		foreign  = "volume other|u4|1|Bound|shop/other|c4|10.0.0.31|/volume/z|Delete|example.com/other"
	)
	for name, c := range map[string]struct {
		sees     []string
		replaced string // the error when the volumes are replaced, "" for none
		kept     string // the error when they are kept
	}{
		"none": {[]string{own}, "", ""},
		"a claim without a Pod": {
			[]string{bound, ended, own},
			"pvc-1 (claim shop/data, used by no Pod). End these Pods and delete these claims first. With keep_volumes", "",
		},
		"a claim at another address": {[]string{moved}, "pvc-1 (claim shop/data", ""},
		"a claim with a Pod": {[]string{bound, pod}, "used by the Pod shop/web). End these Pods and delete these " +
			"claims first. With keep_volumes", "used by the Pod shop/web). End these Pods first; their claims"},
		"an ephemeral volume": {[]string{ofPod, scratch}, "used by the Pod shop/web). End these Pods and delete " +
			"these claims first. With keep_volumes", "used by the Pod shop/web). End these Pods first; their claims"},
		"one that is retained": {[]string{released}, "pvc-2 (retained after its claim shop/old was deleted)", ""},
		"one that waits for a claim": {
			[]string{"volume pvc-4|u4|9|Available|||10.0.0.31|/volume/a/files/w|Delete|nfs.windlass/files"},
			"pvc-4 (it waits for a claim)", "",
		},
		"one that was to try the class": {[]string{
			"volume pvc-5|u5|9|Bound|windlass-storage/windlass-probe-files|c5|10.0.0.31|/volume/a/files/p|Delete|nfs.windlass/files",
		}, "", ""},
		"one that is about to be deleted": {[]string{dying}, "", ""},
		"one of another provisioner":      {[]string{foreign}, "other (claim shop/other", "other (claim shop/other"},
		"a Pod that looks like ours": {
			[]string{"pod shop|web|Running||10.0.0.31|files"},
			"mounted by the Pod shop/web",
			"mounted by the Pod shop/web",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStorageSite(t).withClasses()
			s.sees(c.sees...)
			for keep, refusal := range map[bool]string{false: c.replaced, true: c.kept} {
				in := s.volumes()
				in.KeepVolumes = keep
				_, err := activitytest.Do(t, s.storage.CheckPersistentVolumes, in)
				if refusal == "" {
					require.NoError(t, err, "keep %t", keep)
				} else {
					require.ErrorContains(t, err, refusal, "keep %t", keep)
				}
			}
		})
	}
}

func TestCheckStorageServer_tellsEveryProblem(t *testing.T) {
	s := newStorageSite(t)
	for _, problem := range []string{"it has no NFS server", "it has no mkfs.ext4"} {
		s.fake.Replies["check-storage-server"] = append(s.fake.Replies["check-storage-server"],
			scripts.ResultPrefix+"problem="+base64.StdEncoding.EncodeToString([]byte(problem)))
	}
	_, err := activitytest.Do(t, s.storage.CheckStorageServer, s.Tracked(s.server.Node))
	require.ErrorContains(t, err, "storage-0000001f cannot become a storage server: it has no NFS server; it has no "+
		"mkfs.ext4.")
}

func TestSetUpVolumes_saysWhereAVolumeIsAttached(t *testing.T) {
	s := newStorageSite(t)
	for holder, want := range map[string]string{
		"":   "The volume " + activitytest.VolumeID + " (vol of the template) is attached to no server of the VNF. Attach it to s1",
		"s2": "is attached to the server s2, not to the storage server s1",
	} {
		s.server.Volumes[0].ServerID = holder
		_, err := activitytest.Do(t, s.storage.SetUpVolumes, storageserver.SetUpVolumesInput{
			NodeInput: s.Tracked(s.server.Node),
			Volumes:   s.server.Volumes,
		})
		require.ErrorContains(t, err, want)
		require.Empty(t, s.fake.Ran, "nothing was tried")
	}
}

func TestMountExports_passesADeadBrokenNodeOver(t *testing.T) {
	s := newStorageSite(t)
	away := lcm.Errorf(lcm.KindUnavailable, "No route to host.")
	in := storageserver.MountExportsInput{NodeInput: s.Tracked(s.Nodes[3]), Storage: s.server}
	s.fake.Fail["dial "+s.Nodes[3].Name] = []error{away, away}
	_, err := activitytest.Do(t, s.storage.MountExports, in)
	require.ErrorContains(t, err, "No route to host")
	in.WasBroken = true
	activitytest.Must(t, s.storage.MountExports, in)
	assert.Contains(t, strings.Join(s.output.Shown, "\n"), "left as it is")
}

// sees sets the answers of look-at-volumes, one for each call.
func (s storageSite) sees(lines ...string) {
	var out []string
	for _, line := range lines {
		key, value, _ := strings.Cut(line, " ")
		out = append(out, scripts.ResultPrefix+key+"="+base64.StdEncoding.EncodeToString([]byte(value)))
	}
	s.fake.Replies["look-at-volumes"] = out
}

func TestPersistentVolumes_areRemovedOnlyWhenNothingUsesThem(t *testing.T) {
	for name, c := range map[string]struct {
		sees    []string
		refusal string
		removed string
	}{
		"free": {[]string{
			"volume a|u1|7|Available||||/volume/a", "volume b|u2|9|Released|x/old|c9|10.0.0.31|/volume/b",
			"volume other|u3|1|Bound|x/y|c1|192.0.2.1|/z",
		}, "", "a u1 7\nb u2 9\n"},
		"gone": {nil, "", ""},
		"bound": {
			[]string{
				"volume a|u1|7|Bound|shop/data|c1|10.0.0.31|/volume/a", "pod shop|web-0|Running|data|",
				"pod shop|web-1|Pending|data|", "pod shop|done|Succeeded|data|", "pod park|web|Running|data|",
			},
			"a (claim shop/data, used by the Pods shop/web-0, shop/web-1)", "",
		},
		"no Pod": {
			[]string{"volume a|u1|7|Bound|shop/data|c1|10.0.0.31|/volume/a"},
			"a (claim shop/data, used by no Pod)",
			"",
		},
		"binding":  {[]string{"volume a|u1|7|Available|shop/data|c1|10.0.0.31|/volume/a"}, "a (claim shop/data", ""},
		"reserved": {[]string{"volume a|u1|7|Available|shop/data||10.0.0.31|/volume/a"}, "", "a u1 7\n"},
		"another's volume on the server": {
			[]string{"volume mine|u9|1|Bound|shop/mine|c1|10.0.0.31|/volume/mine", "pod shop|web|Running|mine|"},
			"mine (claim shop/mine, used by the Pod shop/web)", "",
		},
		"mounted without a volume": {[]string{"pod shop|web|Running||10.0.0.31"}, "mounted by the Pod shop/web", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStorageSite(t)
			s.sees(c.sees...)
			for range 2 {
				_, checked := activitytest.Do(t, s.storage.CheckPersistentVolumes, s.volumes())
				_, removed := activitytest.Do(t, s.storage.RemovePersistentVolumes, s.volumes())
				if c.refusal != "" {
					require.ErrorContains(t, checked, c.refusal)
					require.ErrorContains(t, removed, c.refusal)
					continue
				}
				require.NoError(t, checked)
				require.NoError(t, removed)
			}
			var ran int
			for _, cmd := range s.fake.Ran {
				if script, _ := activitytest.ReadScript(cmd.Script); script == "remove-volumes" {
					assert.Equal(t, c.removed, activitytest.ReadStdin(cmd.Stdin)["volumes"])
					ran++
				}
			}
			assert.Equal(t, c.removed != "", ran == 2)
		})
	}
}

func TestFindNodes_findsTheStorageServerBesideTheNodes(t *testing.T) {
	s := newStorageSite(t)
	s.Reach.Vnfs.(*activitytest.FixedVnf).Params.WorkerNode = k8s.NodeParams{
		SSHCpName: "worker_cp",
		NicCpName: "worker_cp",
	}
	cloud := &activitytest.StorageCloud{Inv: activitytest.StorageInventory()}
	infra := &kubenode.Finder{
		Cloud: resources.Cloud{
			VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: s.output,
		}, Vnfs: s.Reach.Vnfs,
	}
	in := kubenode.FindNodesInput{OpOccID: activitytest.OpOcc, Cluster: true}
	out := activitytest.Must(t, infra.FindNodes, in)
	require.NotNil(t, out.Storage)
	want := s.server
	want.Node = lcm.Node{
		Name: "storage-s1", Role: lcm.Storage, ServerID: "s1", Part: "top", VduID: "storage_server",
		Address: "10.0.0.31", SSHAddress: "198.51.100.31",
	}
	assert.Equal(t, want, *out.Storage)
	assert.False(t, out.Nodes.HasServer("s1"), "it is no node of the cluster")

	cloud.Inv.Servers = nil // the volume is attached nowhere
	assert.Empty(t, activitytest.Must(t, infra.FindNodes, in).Storage.Volumes[0].ServerID)
	cloud.Inv.Resources = cloud.Inv.Resources[:5]
	_, err := activitytest.Do(t, infra.FindNodes, in)
	require.ErrorContains(t, err, `The template has no resource "vol": correct volume_resource_id`)
	in.Left = true
	require.Nil(t, cloud.Ours, "no heal keeps volumes")
	assert.Nil(t, activitytest.Must(t, infra.FindNodes, in).Storage, "what is left of an operation is told all the same")
}

// TestFindNodes_refusesToReplaceAServerThatTakesItsVolumesAlong checks that the activity refuses this before anything
// is changed, for a registry as for a storage server.
func TestFindNodes_refusesToReplaceAServerThatTakesItsVolumesAlong(t *testing.T) {
	s := newStorageSite(t)
	cloud := &activitytest.StorageCloud{Inv: activitytest.StorageInventory(), Lost: []string{activitytest.VolumeID}}
	infra := &kubenode.Finder{
		Cloud: resources.Cloud{
			VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: s.output,
		}, Vnfs: s.Reach.Vnfs,
	}
	in := kubenode.FindNodesInput{OpOccID: activitytest.OpOcc, Keepers: []string{"s1"}}
	for range 2 {
		_, err := activitytest.Do(t, infra.FindNodes, in)
		require.ErrorContains(
			t, err,
			"The VIM would delete the volume "+activitytest.VolumeID+" together with the server s1 "+
				"(delete_on_termination): nothing was deleted",
		)
		require.Equal(t, []string{activitytest.VolumeID}, cloud.Ours)
	}
	cloud.Lost = nil
	activitytest.Must(t, infra.FindNodes, in)
	cloud.Gone = true
	activitytest.Must(t, infra.FindNodes, in)
	require.Zero(t, cloud.Deleted)
}

func TestFreeVolumes_deletesTheServerAndNothingElse(t *testing.T) {
	s := newStorageSite(t)
	cloud := &activitytest.StorageCloud{Lost: []string{activitytest.VolumeID}}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: s.output},
	}
	in := resources.FreeVolumesInput{OpOccID: activitytest.OpOcc, ServerID: "s1"}
	_, err := activitytest.Do(t, infra.FreeVolumes, in)
	require.ErrorContains(t, err, "The VIM would delete the volume "+activitytest.VolumeID)
	require.Zero(t, cloud.Deleted)
	cloud.Lost = nil
	for range 2 {
		activitytest.Must(t, infra.FreeVolumes, in)
		assert.Equal(t, 1, cloud.Deleted)
	}
}

func TestChangeStack_replacesTheVolumesThatLeave(t *testing.T) {
	cloud := &activitytest.StorageCloud{Inv: activitytest.StorageInventory()}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{}},
	}
	replaced := func(volumes ...string) (names []string) {
		activitytest.Must(t, infra.ChangeStack, resources.ChangeStackInput{
			OpOccID: activitytest.OpOcc, Sizes: vim.SizesPlanned, Leaving: []string{"s1"}, LeavingVolumes: volumes,
		})
		for _, r := range cloud.Update.Replace {
			names = append(names, r.Name)
		}
		return names
	}
	assert.Equal(t, []string{"storage_server"}, replaced())
	assert.Equal(t, []string{"storage_server", "vol"}, replaced(activitytest.VolumeID))
	assert.Equal(t, []string{"storage_server"}, replaced("another one, of before"))
}
