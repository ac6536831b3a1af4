package scripts_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const volumeID = "0b1c2d3e-4f5a-6b7c-8d9e-0f1a2b3c4d5e"

// storageMachine is a machine with real block devices: loop devices with the names of Cinder volumes.
type storageMachine struct {
	node
	device string
}

func newStorageMachine(t *testing.T) storageMachine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can have loop devices")
	}
	for _, tool := range []string{"losetup", "mkfs.ext4", "blkid", "wipefs", "findmnt", "mountpoint"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	m := storageMachine{node: newNode(t)}
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "probe",
		m.root+"/run").CombinedOutput(); err != nil {
		t.Skipf("this machine lets us mount nothing: %s", out)
	}
	m.tool(t, "umount", m.root+"/run")
	require.NoError(t, os.MkdirAll(filepath.Join(m.root, "by-id"), 0o755))
	m.device = m.attach(t, volumeID, m.directory())
	return m
}

// attach attaches an empty disk with the name of a volume to the machine, and returns its device. The cleanup unmounts
// the directory.
func (m storageMachine) attach(t *testing.T, id, directory string) (device string) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "volume.img")
	require.NoError(t, os.WriteFile(image, nil, 0o600))
	require.NoError(t, os.Truncate(image, 64<<20))
	out, err := exec.CommandContext(t.Context(), "losetup", "--find", "--show", image).CombinedOutput()
	if err != nil {
		t.Skipf("this machine has no loop device for us: %s", out)
	}
	device = strings.TrimSpace(string(out))
	t.Cleanup(func() {
		_ = exec.Command("umount", directory).Run()                              //nolint:noctx // the test's context has ended
		out, err := exec.Command("losetup", "--detach", device).CombinedOutput() //nolint:noctx // likewise
		assert.NoError(t, err, "%s", out)
	})
	require.NoError(t, os.Symlink(device, filepath.Join(m.root, "by-id", "virtio-"+id[:20])))
	return device
}

func (m storageMachine) directory() string { return filepath.Join(m.root, "volume") }

// setUp runs the script for one volume and returns its output and its exit code.
func (m storageMachine) setUp(t *testing.T, id string) (string, int) {
	t.Helper()
	return m.setUpAll(t, id+"="+m.directory())
}

func (m storageMachine) setUpAll(t *testing.T, volumes string) (string, int) {
	t.Helper()
	text := library(t, m.root, "lib-base") + fmt.Sprintf(`
systemctl() { echo "systemctl $*"; }
wait_for_cloud_init() { :; } # of the machine that tests run on
VOLUMES='%s' TIMEOUT=0
`, volumes) + library(t, m.root, "set-up-volumes")
	return shell(t, strings.NewReplacer("/dev/disk/by-id", m.root+"/by-id", "/sys/block", m.root+"/sys").Replace(text))
}

func (m storageMachine) tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// TestSetUpVolumes_makesAFileSystemOnceAndKeepsWhatIsThere uses a real block device and the real tools.
func TestSetUpVolumes_makesAFileSystemOnceAndKeepsWhatIsThere(t *testing.T) {
	m := newStorageMachine(t)
	fstab := filepath.Join(m.root, "etc/fstab")
	require.NoError(t, os.WriteFile(fstab, []byte("UUID=root / ext4 defaults 0 1\n"), 0o644))
	said, code := m.setUp(t, volumeID)
	require.Zero(t, code, said)
	require.Contains(t, said, "windlass-result: volume="+volumeID+"|"+m.device+"|ext4|yes")
	data := filepath.Join(m.directory(), "data")
	require.NoError(t, os.WriteFile(data, []byte("precious"), 0o600))
	first, err := os.ReadFile(fstab)
	require.NoError(t, err)
	uuid := strings.TrimSpace(m.tool(t, "blkid", "-p", "-o", "value", "-s", "UUID", m.device))
	require.Equal(t, "UUID=root / ext4 defaults 0 1\n# windlass: volumes of the storage server\nUUID="+uuid+" "+m.directory()+
		" ext4 defaults,nofail 0 2\n# windlass: end\n", string(first))

	kept := func() {
		said, code := m.setUp(t, volumeID)
		require.Zero(t, code, said)
		require.Contains(t, said, "|ext4|no")
		content, err := os.ReadFile(data)
		require.NoError(t, err, said)
		require.Equal(t, "precious", string(content))
		again, err := os.ReadFile(fstab)
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
	kept()
	m.tool(t, "umount", m.directory()) // as on a server that was replaced
	kept()

	// Something else uses the directory.
	require.NoError(t, os.WriteFile(fstab, append([]byte("/dev/other "+m.directory()+" xfs defaults 0 0\n"), first...),
		0o644))
	said, code = m.setUp(t, volumeID)
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "/etc/fstab mounts something to")
}

func TestSetUpVolumes_overwritesNothing(t *testing.T) {
	m := newStorageMachine(t)
	refused := func(want string) {
		t.Helper()
		before := m.tool(t, "wipefs", "--no-act", "--parsable", m.device)
		require.NotEmpty(t, before)
		said, code := m.setUp(t, volumeID)
		require.Equal(t, 65, code, said)
		require.Contains(t, said, want)
		require.Equal(t, before, m.tool(t, "wipefs", "--no-act", "--parsable", m.device))
	}
	m.tool(t, "mkswap", m.device)
	refused("holds swap and no file system; Windlass does not overwrite it")
	m.tool(t, "wipefs", "--all", m.device)
	table := exec.CommandContext(t.Context(), "sfdisk", "--quiet", "--no-reread", m.device)
	table.Stdin = strings.NewReader("label: dos\n2048,8192\n")
	if out, err := table.CombinedOutput(); err != nil {
		t.Logf("no partition table is tried: %s", out)
		return
	}
	refused("Windlass does not overwrite it")
}

func TestSetUpVolumes_takesNoOtherDisk(t *testing.T) {
	m := newStorageMachine(t)
	said, code := m.setUp(t, "99999999-4f5a-6b7c-8d9e-0f1a2b3c4d5e")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "windlass: no disk of this machine is the volume 99999999-4f5a-6b7c-8d9e-0f1a2b3c4d5e")
	require.Empty(t, m.tool(t, "wipefs", "--no-act", "--parsable", m.device), "it is as empty as before")
}

// TestSetUpVolumes_waitsForAllOfSeveral checks that a missing volume prevents changes of the other. When both are
// there, both are mounted and exported.
func TestSetUpVolumes_waitsForAllOfSeveral(t *testing.T) {
	m := newStorageMachine(t)
	const other, third = "9a1c2d3e-4f5a-6b7c-8d9e-0f1a2b3c4d5e", "8a1c2d3e-4f5a-6b7c-8d9e-0f1a2b3c4d5e"
	more := filepath.Join(m.root, "more")
	volumes := volumeID + "=" + m.directory() + " " + other + "=" + more
	said, code := m.setUpAll(t, volumes+" "+third+"=/third")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "windlass: no disk of this machine is the volume "+other+" or "+third+": none has its id")
	said, code = m.setUpAll(t, volumes)
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "windlass: no disk of this machine is the volume "+other+": none has its id")
	require.Empty(t, m.tool(t, "wipefs", "--no-act", "--parsable", m.device), "it is as empty as before")
	require.NoFileExists(t, filepath.Join(m.root, "etc/fstab"))

	device := m.attach(t, other, more)
	for _, made := range []string{"yes", "no"} {
		said, code = m.setUpAll(t, volumes)
		require.Zero(t, code, said)
		require.Contains(t, said, "windlass-result: volume="+volumeID+"|"+m.device+"|ext4|"+made)
		require.Contains(t, said, "windlass-result: volume="+other+"|"+device+"|ext4|"+made)
	}
	fstab, err := os.ReadFile(filepath.Join(m.root, "etc/fstab"))
	require.NoError(t, err)
	for _, one := range [][2]string{{m.device, m.directory()}, {device, more}} {
		uuid := strings.TrimSpace(m.tool(t, "blkid", "-p", "-o", "value", "-s", "UUID", one[0]))
		require.Contains(t, string(fstab), "UUID="+uuid+" "+one[1]+" ext4 defaults,nofail 0 2\n")
		require.Equal(t, one[0], strings.TrimSpace(m.tool(t, "findmnt", "-rno", "SOURCE", "--mountpoint", one[1])))
	}

	known := fmt.Sprintf("%[1]s/volume/a  10.0.0.0/24(sync)\n%[1]s/more/b  10.0.0.0/24(sync)\n", m.root)
	require.NoError(t, os.WriteFile(filepath.Join(m.root, "known"), []byte(known), 0o600))
	said, code = exporting(t, m.node, "kernel", `mountpoint() { command mountpoint "$@"; }
MOUNTS='`+m.directory()+" "+more+`' EXPORTS='`+m.directory()+"/a=10.0.0.0/24 "+more+"/b=10.0.0.0/24'\n")
	require.Zero(t, code, said)
	exports, err := os.ReadFile(filepath.Join(m.root, "etc/exports.d/windlass.exports"))
	require.NoError(t, err)
	const options = "(rw,sync,no_subtree_check,insecure,all_squash,mountpoint="
	require.Equal(t, m.directory()+"/a 10.0.0.0/24"+options+m.directory()+")\n"+more+"/b 10.0.0.0/24"+options+more+")\n",
		string(exports))
	require.DirExists(t, filepath.Join(more, "b"))
	m.tool(t, "umount", more)
	said, code = exporting(t, m.node, "kernel", `mountpoint() { command mountpoint "$@"; }
MOUNTS='`+m.directory()+" "+more+`' EXPORTS='`+more+"/b=10.0.0.0/24'\n")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "the volume of "+more+" is not mounted; see that it is attached")
}

// exporting runs the script of the exports on a machine whose kernel has an NFS server, or whose image has Ganesha.
func exporting(t *testing.T, n node, kind, stubs string) (string, int) {
	t.Helper()
	text := library(t, n.root, "lib-base", "lib-apt", "lib-nfs") + `
mountpoint() { :; }; chown() { :; }; wait_for_cloud_init() { :; }; complete_installation() { :; }
systemctl() { echo "systemctl $*"; }
service() { echo "service $*"; }
nfs_kind() { echo ` + kind + `; }
ss() { echo LISTEN; }
exportfs() { [[ $1 != -s ]] || cat "$KNOWN"; }
MOUNTS='` + n.root + `/volume' EXPORTS='` + n.root + `/volume/a=10.0.0.0/24,10.1.0.5 ` + n.root + `/volume/b=10.0.0.0/24'
NO_PROXY_LIST=x LOCK_FOR=1 TIMEOUT=1
` + stubs + library(t, n.root, "export-volumes")
	return shell(t, text, "KNOWN="+filepath.Join(n.root, "known"))
}

func TestExportVolumes_writesTheExportsOfTheKernelAsAWhole(t *testing.T) {
	n := newNode(t)
	known := fmt.Sprintf("%[1]s/volume/a  10.0.0.0/24(sync)\n%[1]s/volume/a  10.1.0.5(sync)\n%[1]s/volume/b  "+
		"10.0.0.0/24(sync)\n", n.root)
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "known"), []byte(known), 0o600))
	const options = "(rw,sync,no_subtree_check,insecure,all_squash,mountpoint="
	for range 2 {
		said, code := exporting(t, n, "kernel", "")
		require.Zero(t, code, said)
		require.Contains(t, said, "windlass-result: server=kernel")
		exports, err := os.ReadFile(filepath.Join(n.root, "etc/exports.d/windlass.exports"))
		require.NoError(t, err)
		to := options + n.root + "/volume)"
		require.Equal(t, n.root+"/volume/a 10.0.0.0/24"+to+" 10.1.0.5"+to+"\n"+n.root+"/volume/b 10.0.0.0/24"+to+"\n",
			string(exports))
		require.DirExists(t, filepath.Join(n.root, "volume/b"))
	}
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "known"), nil, 0o600))
	said, code := exporting(t, n, "kernel", "")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "windlass: the NFS server does not export")
}

func TestExportVolumes_writesTheConfigurationOfGanesha(t *testing.T) {
	n := newNode(t)
	said, code := exporting(t, n, "ganesha", "")
	require.Zero(t, code, said)
	conf, err := os.ReadFile(filepath.Join(n.root, "etc/ganesha/ganesha.conf"))
	require.NoError(t, err)
	golden(t, "ganesha.conf", strings.ReplaceAll(string(conf), n.root, ""))
	said, code = exporting(t, n, "none", "")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "windlass: it cannot be an NFS server: its kernel has none (nfsd) and the image has no "+
		"NFS-Ganesha")
}

func TestExportVolumes_refusesWhatIsNotOnAVolume(t *testing.T) {
	n := newNode(t)
	said, code := exporting(t, n, "kernel", "mountpoint() { return 1; }\n")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "is not mounted; see that it is attached")

	said, code = exporting(t, n, "kernel", "EXPORTS='/elsewhere=10.0.0.0/24' MOUNTS='/volume /more'\n")
	require.Equal(t, 65, code, said)
	require.Contains(t, said, "windlass: /elsewhere is on none of the volumes, which are mounted to /volume, /more\n")

	require.NoError(t, os.MkdirAll(filepath.Join(n.root, "volume"), 0o755))
	require.NoError(t, os.Symlink("/", filepath.Join(n.root, "volume/a")))
	said, code = exporting(t, n, "kernel", "")
	require.Equal(t, 65, code, said)
	require.Contains(t, said, "is a symbolic link out of its volume")
}

// mounting runs the script of an NFS client with a stub of mount.
func mounting(t *testing.T, mount string) (string, int) {
	t.Helper()
	n := newNode(t)
	text := library(t, n.root, "lib-base", "lib-apt") + `
complete_installation() { :; }; ensure_command() { echo "$1 is there"; }
timeout() { shift; "$@"; }
umount() { :; }; mountpoint() { return 1; }
mount() { ` + mount + `; }
NODE_NAME=worker-1 TIMEOUT=1 LOCK_FOR=1 EXPORTS='10.0.0.31=/volume/a 2001:db8::7=/volume/a'
` + strings.Replace(library(t, n.root, "mount-exports"), "POINT=/run/", "POINT="+n.root+"/run/", 1)
	return shell(t, text)
}

func TestMountExports_saysWhyAnExportCannotBeMounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mount string
		code  int
		says  string
	}{
		"good": {`echo "$5"`, 0, "[2001:db8::7]:/volume/a can be mounted and written to"},
		"refused": {
			`echo "mount.nfs: access denied by server while mounting $5" >&2; return 32`, 1,
			"does not let this node mount /volume/a (mount.nfs: access denied by server while mounting 10.0.0.31:/volume/a); " +
				"see that the network of this node is in export_to",
		},
		"no answer": {
			`echo "mount.nfs: Connection timed out" >&2; return 32`, 1,
			"/volume/a of the storage server cannot be mounted from 10.0.0.31: mount.nfs: Connection timed out",
		},
		"read only": {`chmod 0 "$6"; mv "$6" "$6.away"`, 1, "is mounted, but this node cannot write to it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, code := mounting(t, c.mount)
			assert.Equal(t, c.code, code, said)
			assert.Contains(t, said, c.says)
		})
	}
}

func TestRemoveVolumes_deletesWhatItHasSeenAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string // the answer to the deletion
		code   int
		says   string
	}{
		"deleted": {"return 0", 0, "the PersistentVolume a is deleted"},
		"gone": {
			`echo 'Error from server (NotFound): persistentvolumes "a" not found' >&2; return 1`, 0,
			"is gone already",
		},
		"changed": {
			`echo 'Error from server (Conflict): Precondition failed' >&2; return 1`, 75,
			"has changed while it was looked at",
		},
		"no answer": {`echo 'i/o timeout' >&2; return 1`, 75, "cannot be deleted: i/o timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			text := library(t, n.root, "lib-base", "lib-kube") + `
read_inputs() { printf 'a u1 7\n' >"$SCRATCH/in.volumes"; }
need_api() { :; }
kube() {
  case "$*" in
  "delete --raw /api/v1/persistentvolumes/a -f "*) cat "${@: -1}"; ` + c.answer + ` ;;
  "get persistentvolume a"*) : ;;
  esac
}
TIMEOUT=1
` + strings.Replace(library(t, n.root, "remove-volumes"), `</dev/null >/dev/null 2>`, `</dev/null >&3 2>`, 1)
			said, code := shell(t, "exec 3>&1\n"+text)
			assert.Equal(t, c.code, code, said)
			assert.Contains(t, said, c.says)
			assert.Contains(t, said, `"preconditions":{"uid":"u1","resourceVersion":"7"}`)
		})
	}
}

// TestLookAtVolumes_tellsVolumesAndWhoUsesThem runs the script's templates as kubectl does, with objects as the API
// server returns them.
func TestLookAtVolumes_tellsVolumesAndWhoUsesThem(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	objects := map[string]string{
		"persistentvolumes": `{"items": [
			{"metadata": {"name": "a", "uid": "u1", "resourceVersion": "7", "annotations": {"pv.kubernetes.io/provisioned-by": "nfs.windlass/files"}},
			 "spec": {"nfs": {"server": "10.0.0.31", "path": "/volume/a"}, "persistentVolumeReclaimPolicy": "Delete", "claimRef": {"namespace": "shop", "name": "web-scratch", "uid": "c1"}},
			 "status": {"phase": "Bound"}},
			{"metadata": {"name": "b", "uid": "u2", "resourceVersion": "8"}, "spec": {"persistentVolumeReclaimPolicy": "Retain"}}]}`,
		"pods": `{"items": [
			{"metadata": {"namespace": "shop", "name": "web"}, "status": {"phase": "Running"}, "spec": {"volumes": [
				{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "files"}}}},
				{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "none", "emptyDir": {}}]}},
			{"metadata": {"namespace": "shop", "name": "idle"}, "status": {"phase": "Running"}, "spec": {}},
			{"metadata": {"namespace": "windlass-storage", "name": "nfs-1", "labels": {"windlass/storage-class": "files"}}, "status": {"phase": "Pending"}, "spec": {"volumes": [
				{"name": "root", "nfs": {"server": "10.0.0.31", "path": "/volume/a"}}]}}]}`,
	}
	script := library(t, n.root, "lib-base", "lib-kube") + `
need_api() { :; }
kube() { # get RESOURCE ... -o go-template=TEMPLATE
  printf '%s' "${@: -1}" | sed '1s/^go-template=//' >"$ROOT/$2.template"
  [[ ! -e $ROOT/$2.list ]] || cat "$ROOT/$2.list"
}
result_text() { echo "$1 $2"; }
` + strings.ReplaceAll(library(t, n.root, "look-at-volumes"), `-o go-template="$template"`, "") // the argument comes last
	script = strings.ReplaceAll(script, `kube get "$@"`, `kube get "$@" "go-template=$template"`)
	said, code := shell(t, script, "ROOT="+n.root)
	require.Zero(t, code, said)
	for kind, list := range objects {
		text, err := os.ReadFile(filepath.Join(n.root, kind+".template"))
		require.NoError(t, err)
		parsed, err := template.New(kind).Parse(string(text))
		require.NoError(t, err)
		var items map[string]any
		require.NoError(t, json.Unmarshal([]byte(list), &items))
		var out strings.Builder
		require.NoError(t, parsed.Execute(&out, items))
		require.NoError(t, os.WriteFile(filepath.Join(n.root, kind+".list"), []byte(out.String()), 0o600))
	}
	said, code = shell(t, script, "ROOT="+n.root)
	require.Zero(t, code, said)
	require.Equal(t, `volume a|u1|7|Bound|shop/web-scratch|c1|10.0.0.31|/volume/a|Delete|nfs.windlass/files
volume b|u2|8||||||Retain|
pod shop|web|Running|web-scratch|
pod shop|web|Running|data|
pod windlass-storage|nfs-1|Pending||10.0.0.31|files
`, said)
}
