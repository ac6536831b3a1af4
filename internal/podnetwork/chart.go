package podnetwork

import (
	"bytes"
	"context"
	"slices"
	"strings"

	v1 "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/expansion"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	releaseName = "pod-network"
	// namespace is where pod networks usually are; it exists in every cluster.
	namespace = "kube-system"
)

// render makes a manifest out of a chart. kubectl applies it, so that no release of Helm is recorded.
func render(ctx context.Context, archive, values []byte, on Target) ([]byte, error) {
	of := charts.Release{Name: releaseName, Namespace: namespace, Content: charts.Content{Archive: archive}}
	if err := expansion.NewYAML(expansion.MostYAML).TakeFile(values); err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "The file of kubernetes.podNetworkValues %s.", err)
	}
	if err := yaml.Unmarshal(values, &of.Values); err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The file of kubernetes.podNetworkValues is no YAML with values: %v.", err)
	}
	cluster := charts.Capabilities{}
	if on.Version != "" {
		cluster.Version = "v" + strings.TrimPrefix(on.Version, "v")
	}
	made, err := charts.Render(ctx, of, 1, cluster, nil)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(made.Hooks, runsAtInstall); i >= 0 {
		return nil, lcm.Errorf(lcm.KindInvalid, "The chart of the pod network has the hook %s, which Windlass does not run "+
			"here: render the chart (helm template), and name the manifest in kubernetes.podNetwork.", made.Hooks[i].Name)
	}
	return documents(made.Objects)
}

func runsAtInstall(h *v1.Hook) bool {
	return slices.Contains(h.Events, v1.HookPreInstall) || slices.Contains(h.Events, v1.HookPostInstall)
}

// documents writes the objects as YAML.
func documents(objects []unstructured.Unstructured) ([]byte, error) {
	var out bytes.Buffer
	for _, o := range objects {
		if o.GetNamespace() == "" && !cnf.OfCluster(o.GetKind()) && isBuiltIn(o) {
			o.SetNamespace(namespace) // kubectl would take the namespace default
		}
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, lcm.Wrap(lcm.KindBug, err, "The %s %s of the pod network's chart cannot be written.", o.GetKind(),
				o.GetName())
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	return out.Bytes(), nil
}

// isBuiltIn tells whether an object is of Kubernetes itself: only the cluster knows the scope of other kinds.
func isBuiltIn(o unstructured.Unstructured) bool {
	group := o.GroupVersionKind().Group
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}
