package podnetwork_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/podnetwork"
)

var on = podnetwork.Target{PodCIDR: "10.244.0.0/16", Version: "1.34.4"}

// chart makes the archive of a chart with these templates.
func chart(t *testing.T, templates map[string]string) []byte {
	t.Helper()
	files := map[string]string{
		"net/Chart.yaml":  "apiVersion: v2\nname: net\nversion: 0.1.0\nkubeVersion: '>=1.34.0-0'\n",
		"net/values.yaml": "podCidr: 192.168.0.0/16\nmtu: 1450\n",
	}
	for name, text := range templates {
		files["net/templates/"+name] = text
	}
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for name, text := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	return out.Bytes()
}

// TestManifest_rendersAChart checks values, the network of the pods, and the namespaces: kubectl would put objects
// without a namespace into the namespace default.
func TestManifest_rendersAChart(t *testing.T) {
	t.Parallel()
	values := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(values, []byte("podCidr: __POD_CIDR__\n"), 0o600))
	archive := chart(t, map[string]string{
		"config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: net}\ndata: {cidr: '{{ .Values.podCidr }}', " +
			"mtu: '{{ .Values.mtu }}', of: '{{ .Capabilities.KubeVersion }}'}\n",
		"own.yaml":  "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: net, namespace: own}\n",
		"role.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: net}\n",
		"kind.yaml": "apiVersion: net.example.com/v1\nkind: Pool\nmetadata: {name: net}\n",
	})
	text, err := podnetwork.Manifest(t.Context(), archive, k8s.PodNetwork{ValuesFile: values}, on)
	require.NoError(t, err)
	namespaces, data := map[string]any{}, map[string]any{}
	for _, doc := range bytes.Split(text, []byte("---\n"))[1:] {
		var o struct {
			Kind     string
			Metadata map[string]any
			Data     map[string]any
		}
		require.NoError(t, yaml.Unmarshal(doc, &o))
		namespaces[o.Kind] = o.Metadata["namespace"]
		if o.Kind == "ConfigMap" {
			data = o.Data
		}
	}
	require.Equal(t, map[string]any{"ConfigMap": "kube-system", "DaemonSet": "own", "ClusterRole": nil, "Pool": nil},
		namespaces)
	require.Equal(t, map[string]any{"cidr": "10.244.0.0/16", "mtu": "1450", "of": "v1.34.4"}, data)
}

// TestManifest_saysWhyAChartCannotBeUsed checks charts that kubectl alone cannot install, and wrong values.
func TestManifest_saysWhyAChartCannotBeUsed(t *testing.T) {
	t.Parallel()
	const hook = "apiVersion: v1\nkind: Pod\nmetadata: {name: first, annotations: {helm.sh/hook: "
	wrong := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(wrong, []byte("- a list"), 0o600))
	for name, c := range map[string]struct {
		archive []byte
		values  string
		want    string
	}{
		"a hook of the installation": {chart(t, map[string]string{"a.yaml": hook + "pre-install}}\n"}), "", "has the hook first"},
		"no chart":                   {[]byte{0x1f, 0x8b, 8}, "", "cannot be used"},
		"values that are a list":     {chart(t, nil), wrong, "no YAML with values"},
		"no file of values":          {chart(t, nil), wrong + ".missing", "kubernetes.podNetworkValues cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := podnetwork.Manifest(t.Context(), c.archive, k8s.PodNetwork{ValuesFile: c.values}, on)
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := podnetwork.Manifest(t.Context(), chart(t, map[string]string{"a.yaml": hook + "pre-delete}}\n"}),
		k8s.PodNetwork{}, on)
	require.NoError(t, err, "Windlass never uninstalls it")
}

// TestRead_isBounded checks files of the worker's host.
func TestRead_isBounded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "net.yaml")
	_, err := podnetwork.Read(t.Context(), k8s.PodNetwork{From: file}, nil)
	require.ErrorContains(t, err, "kubernetes.podNetwork cannot be read on the worker's host")
	require.NoError(t, os.WriteFile(file, make([]byte, podnetwork.MaxSize+1), 0o600))
	_, err = podnetwork.Read(t.Context(), k8s.PodNetwork{From: file}, nil)
	require.ErrorContains(t, err, "larger than the limit of 16 MiB")
	require.NoError(t, os.Truncate(file, podnetwork.MaxSize))
	content, err := podnetwork.Read(t.Context(), k8s.PodNetwork{From: file}, nil)
	require.NoError(t, err)
	require.Len(t, content, podnetwork.MaxSize)
}
