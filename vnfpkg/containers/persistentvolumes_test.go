package containers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const twoVolumes = `# Volumes of the storage server.
apiVersion: v1
kind: PersistentVolume
metadata: {name: nfs-pv1}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteMany]
  nfs:
    server: 10.10.0.1 # another one
    path: /volume/nfs/pv1
---
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: "server: 10.10.0.1"}
provisioner: kubernetes.io/no-provisioner
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: PersistentVolume
    metadata: {name: nfs-pv2}
    spec:
      nfs: {path: "/volume/nfs/pv2"}
  - apiVersion: v1
    kind: PersistentVolume
    metadata: {name: local}
    spec:
      hostPath: {path: /srv}
`

func TestPersistentVolumes_getTheServerInEveryDocument(t *testing.T) {
	m, err := ReadPersistentVolumes([]byte(twoVolumes))
	require.NoError(t, err)
	assert.Equal(t, []PersistentVolume{{"nfs-pv1", "/volume/nfs/pv1"}, {"nfs-pv2", "/volume/nfs/pv2"}, {"local", ""}},
		m.Volumes)
	assert.Equal(t, []string{"nfs-pv1", "nfs-pv2", "local"}, m.Names())

	for _, address := range []string{"192.0.2.7", "2001:db8::7"} {
		text, err := m.WithServer(address)
		require.NoError(t, err)
		var docs []map[string]any
		decoder := yaml.NewDecoder(strings.NewReader(text))
		for {
			var doc map[string]any
			if decoder.Decode(&doc) != nil {
				break
			}
			docs = append(docs, doc)
		}
		require.Len(t, docs, 3, text)
		first := docs[0]["spec"].(map[string]any)
		assert.Equal(t, map[string]any{"server": address, "path": "/volume/nfs/pv1"}, first["nfs"])
		assert.Equal(t, map[string]any{"storage": "1Gi"}, first["capacity"])
		assert.Equal(t, "server: 10.10.0.1", docs[1]["metadata"].(map[string]any)["name"], "a name is no server")
		items := docs[2]["items"].([]any)
		assert.Equal(t, map[string]any{"server": address, "path": "/volume/nfs/pv2"},
			items[0].(map[string]any)["spec"].(map[string]any)["nfs"])
		assert.Equal(t, map[string]any{"hostPath": map[string]any{"path": "/srv"}}, items[1].(map[string]any)["spec"])
	}
}

func TestPersistentVolumes_followAliases(t *testing.T) {
	m, err := ReadPersistentVolumes([]byte(`kind: List
address: &address 10.0.0.1
items:
  - {kind: PersistentVolume, metadata: {name: a}, spec: {nfs: &nfs {server: *address, path: /a}}}
  - {kind: PersistentVolume, metadata: {name: b}, spec: {nfs: *nfs}}
`))
	require.NoError(t, err)
	text, err := m.WithServer("192.0.2.7")
	require.NoError(t, err)
	var doc struct {
		Address string
		Items   []struct {
			Spec struct{ Nfs map[string]string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &doc))
	assert.Equal(t, "10.0.0.1", doc.Address)
	require.Len(t, doc.Items, 2)
	for _, item := range doc.Items {
		assert.Equal(t, map[string]string{"server": "192.0.2.7", "path": "/a"}, item.Spec.Nfs)
	}
}

func TestPersistentVolumes_refuseWhatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "no PersistentVolume",
		"kind: ConfigMap":        "no PersistentVolume",
		"a: [":                   "is not YAML",
		"- 1":                    "no Kubernetes object",
		"a: 1":                   "without a kind",
		"kind: PersistentVolume": "without a name",
		"kind: List\nitems: [1]": "no Kubernetes object",
		"{kind: PersistentVolume, metadata: {name: a}, spec: {nfs: 7}}":                                     "is no object",
		"{kind: PersistentVolume, metadata: {name: a}, spec: {nfs: {server: x}}}":                           "without spec.nfs.path",
		"{kind: PersistentVolume, metadata: {name: a}}\n---\n{kind: PersistentVolume, metadata: {name: a}}": "the PersistentVolume a twice",
		strings.Repeat("#", maxManifest+1):                                                                  "is larger",
	} {
		_, err := ReadPersistentVolumes([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzReadPersistentVolumes(f *testing.F) {
	f.Add(twoVolumes)
	f.Add("kind: List\nitems: [{kind: PersistentVolume, metadata: {name: a}, spec: {nfs: {path: /a}}}]")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ReadPersistentVolumes([]byte(text))
		if err != nil {
			return
		}
		out, err := m.WithServer("192.0.2.7")
		if err != nil {
			return // for example an anchor that the library cannot write
		}
		again, err := ReadPersistentVolumes([]byte(out))
		if err != nil {
			t.Fatalf("what was written cannot be read: %s\n%s", err, out)
		}
		if len(again.Volumes) != len(m.Volumes) {
			t.Fatalf("%d volumes became %d", len(m.Volumes), len(again.Volumes))
		}
	})
}
