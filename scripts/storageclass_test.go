package scripts_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

var storageClass = scripts.StorageClassManifest{
	Class: "files", Provisioner: "nfs.windlass/files",
	Image:  "registry.example.com/nfs-subdir-external-provisioner:v4.0.18",
	Server: "10.0.0.31", Directory: "/volume/files", Default: true, Reclaim: "Delete", Archive: true,
}

func TestStorageClassManifest_isAsItsGoldenFiles(t *testing.T) {
	text, err := storageClass.Render()
	require.NoError(t, err)
	golden(t, "storage-class.yaml", text)
	probe, err := storageClass.Probe()
	require.NoError(t, err)
	golden(t, "storage-probe.yaml", probe)
}

// settingUp runs the script with a kubectl that reads its answers from files of the node: "deployment", "claim".
func settingUp(t *testing.T, deployment, claim string) (said string, code int, asked string) {
	t.Helper()
	n := newNode(t)
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "claim"), []byte(claim), 0o600))
	text := library(t, n.root, "lib-base", "lib-kube") + `
read_inputs() { :; }; need_input() { :; }; need_api() { :; }
kube() {
  echo "$*" >>"$ROOT/asked"
  case "$*" in
  *"get deployment nfs-files"*) echo '` + deployment + `' ;;
  *"get persistentvolumeclaim windlass-probe-files -o jsonpath"*) cat "$ROOT/claim" ;;
  *"get pods"*) echo 'nfs-files-1 is Pending  ImagePullBackOff  Back-off pulling image' ;;
  *"get events --field-selector involvedObject"*) echo 'failed to provision volume' ;;
  *"delete persistentvolumeclaim"*) : >"$ROOT/claim" ;;
  *"apply"*"in.probe") [[ '` + claim + `' != later ]] || echo 'Bound pvc-1' >"$ROOT/claim" ;;
  esac
}
NAMESPACE=windlass-storage CLASS=files DEPLOYMENT=nfs-files PROBE=windlass-probe-files TIMEOUT=0
` + library(t, n.root, "set-up-storage-class")
	said, code = shell(t, text, "ROOT="+n.root)
	b, err := os.ReadFile(filepath.Join(n.root, "asked"))
	require.NoError(t, err)
	return said, code, string(b)
}

func TestSetUpStorageClass_endsWhenAClaimHasGotAVolume(t *testing.T) {
	t.Parallel()
	said, code, asked := settingUp(t, "2|2|1|1|1", "later")
	require.Zero(t, code, said)
	require.Contains(t, said, "claims of the StorageClass files get volumes")
	apply, probe := strings.Index(asked, "in.manifest"), strings.Index(asked, "in.probe")
	require.Less(t, apply, probe, asked)
	require.Contains(t, asked, "get persistentvolume pvc-1 --ignore-not-found")
	require.True(t, strings.HasSuffix(asked, "delete storageclass windlass-probe-files --ignore-not-found\n"),
		"the class goes last: %s", asked)

	said, code, asked = settingUp(t, "2|2|1|1|1", "Bound pvc-0") // left by an interrupted run
	require.Equal(t, 1, code, said)
	require.Contains(t, asked, "get persistentvolume pvc-0 --ignore-not-found")
}

func TestSetUpStorageClass_saysWhyNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ deployment, says string }{
		"no provisioner": {"2|2|1|1|", "windlass: the provisioner nfs-files of the StorageClass files is not available " +
			"after 0 s: nfs-files-1 is Pending ImagePullBackOff Back-off pulling image"},
		"an old one":  {"2|1|1|1|1", "is not available"},
		"two of them": {"2|2|2|1|1", "is not available"},
		"no volume": {"2|2|1|1|1", "windlass: the provisioner nfs-files has made no volume for a claim after 0 s: " +
			"failed to provision volume; look at its log"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, code, _ := settingUp(t, c.deployment, "Pending ")
			assert.Equal(t, 1, code, said)
			assert.Contains(t, said, c.says)
		})
	}
}

func TestScaleProvisioners_stopsByForceWhatADeadServerHolds(t *testing.T) {
	t.Parallel()
	classes := "files never"
	scale := func(stop, pods string) (string, int) {
		n := newNode(t)
		require.NoError(t, os.WriteFile(filepath.Join(n.root, "pods"), []byte(pods), 0o600))
		return shell(t, library(t, n.root, "lib-base", "lib-kube")+`
need_api() { :; }
kube() {
  case "$*" in
  *"get deployment nfs-files"*) echo deployment.apps/nfs-files ;;
  *"get deployment nfs-lost"*) return 1 ;;
  *"get pods"*) cat "$ROOT/pods" ;;
  *"--force"*) : >"$ROOT/pods"; echo forced ;;
  *scale*) echo "$*" ;;
  esac
}
NAMESPACE=windlass-storage CLASSES='`+classes+`' STOP=`+stop+` TIMEOUT=0
`+library(t, n.root, "scale-provisioners"), "ROOT="+n.root)
	}
	said, code := scale("yes", "pod/nfs-files-1")
	require.Zero(t, code, said)
	require.Contains(t, said, "scale deployment nfs-files --replicas 0")
	require.Contains(t, said, "forced")
	require.Contains(t, said, "the StorageClass never has no provisioner")
	said, code = scale("yes", "")
	require.Zero(t, code, said)
	require.NotContains(t, said, "forced")
	said, code = scale("no", "pod/nfs-files-1")
	require.Zero(t, code, said)
	require.Contains(t, said, "scale deployment nfs-files --replicas 1")
	require.NotContains(t, said, "forced")
	classes = "lost"
	said, code = scale("yes", "")
	require.Equal(t, 75, code, "one that does not answer is not taken for one that is not there: %s", said)
}

// moving runs the script with a kubectl whose volumes are files of the node: "pv.NAME", with a line "server
// provisioner". kubectl stops answering at the request stopAt.
func moving(t *testing.T, n node, stopAt string) (string, int) {
	t.Helper()
	return shell(t, library(t, n.root, "lib-base", "lib-kube")+`
need_api() { :; }
kubectl() { [[ $* == 'patch --local '* ]] && sed "s/192.0.2.7/$SERVER/" "$4"; }
kube() {
  local file
  [[ -z '`+stopAt+`' || "$*" != *'`+stopAt+`'* ]] || { echo 'Error: i/o timeout' >&2; return 1; }
  echo "$*" >>"$ROOT/asked"
  case "$*" in
  "get persistentvolumes "*) for file in "$ROOT"/pv.*; do [[ ! -e $file ]] || echo "${file##*/pv.}|$(tr ' ' '|' <"$file")|"; done ;;
  "get persistentvolume "*" -o json") echo "volume $3 $(cat "$ROOT/pv.$3")" ;;
  "get persistentvolume "*"status.phase"*) [[ ! -e $ROOT/pv.$3 ]] || echo Bound ;;
  "get persistentvolume "*"nfs.server"*) [[ ! -e $ROOT/pv.$3 ]] || cut -d ' ' -f 1 "$ROOT/pv.$3" ;;
  "get persistentvolume "*) [[ ! -e $ROOT/pv.$3 ]] || echo "persistentvolume/$3" ;;
  *"get configmap "*" -o name") [[ ! -e $ROOT/kept ]] || echo configmap/kept ;;
  *"get configmap "*) cat "$ROOT/kept" ;;
  "apply "*) sed -n 's/^  "\(.*\)": "\(.*\)"$/\1 \2/p' "${@: -1}" >"$ROOT/kept" ;;
  *"delete configmap "*) rm -f "$ROOT/kept" ;;
  "delete persistentvolume "*) rm -f "$ROOT/pv.$3" ;;
  "create "*) read -r _ name rest <"${@: -1}"; echo "$rest" >"$ROOT/pv.$name" ;;
  esac
}
NAMESPACE=windlass-storage CLASS=files PROVISIONER=nfs.windlass/files SERVER=10.0.0.31 TIMEOUT=0
`+library(t, n.root, "move-volumes"), "ROOT="+n.root)
}

func TestMoveVolumes_losesNoneWhereverItIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, stopAt := range []string{
		"", "-o json", "apply ", "patch persistentvolume pvc-1",
		"delete persistentvolume pvc-2", "create ", "delete configmap",
	} {
		t.Run(strings.TrimSpace("stops at "+stopAt), func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			volumes := map[string]string{
				"pvc-1": "192.0.2.7 nfs.windlass/files", "pvc-2": "192.0.2.7 nfs.windlass/files",
				"pvc-3": "10.0.0.31 nfs.windlass/files",
				"pvc-4": "192.0.2.7 nfs.windlass/other", "manual": "192.0.2.7 ",
			}
			for name, is := range volumes {
				require.NoError(t, os.WriteFile(filepath.Join(n.root, "pv."+name), []byte(is+"\n"), 0o600))
			}
			if stopAt != "" {
				said, code := moving(t, n, stopAt)
				require.NotZero(t, code, said)
				kept, _ := os.ReadFile(filepath.Join(n.root, "kept"))
				for _, name := range []string{"pvc-1", "pvc-2"} {
					_, err := os.Stat(filepath.Join(n.root, "pv."+name))
					require.True(t, err == nil || strings.Contains(string(kept), name+" "), "%s is nowhere: %s", name, said)
				}
			}
			for range 2 {
				said, code := moving(t, n, "")
				require.Zero(t, code, said)
			}
			volumes["pvc-1"], volumes["pvc-2"] = "10.0.0.31 nfs.windlass/files", "10.0.0.31 nfs.windlass/files"
			for name, want := range volumes {
				is, err := os.ReadFile(filepath.Join(n.root, "pv."+name))
				require.NoError(t, err)
				require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(string(is)), name)
			}
			require.NoFileExists(t, filepath.Join(n.root, "kept"))
			asked, err := os.ReadFile(filepath.Join(n.root, "asked"))
			require.NoError(t, err)
			require.NotContains(t, string(asked), "patch persistentvolume pvc-3")
			require.Contains(t, string(asked), `"persistentVolumeReclaimPolicy":"Retain"`)
		})
	}
}

func TestMoveVolumes_keepsThemAsTheyAre(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "pv.pvc-1"), []byte("192.0.2.7 nfs.windlass/files\n"), 0o600))
	said, code := moving(t, n, "patch ")
	require.NotZero(t, code, said)
	kept, err := os.ReadFile(filepath.Join(n.root, "kept"))
	require.NoError(t, err)
	_, encoded, _ := strings.Cut(strings.TrimSpace(string(kept)), " ")
	text, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	require.Equal(t, "volume pvc-1 192.0.2.7 nfs.windlass/files\n", string(text))
}
