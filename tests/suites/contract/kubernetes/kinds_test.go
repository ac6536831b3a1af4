package kubernetes

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscaling "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// rareKinds are the kinds that Tacker accepts beside the usual ones. The Binding precedes its Pod.
const rareKinds = `---
apiVersion: v1
kind: Binding
metadata: {name: placed}
target: {apiVersion: v1, kind: Node, name: node-1}
---
apiVersion: v1
kind: Pod
metadata: {name: placed}
spec: {schedulerName: nobody, containers: [{name: main, image: httpd}]}
---
apiVersion: v1
kind: PodTemplate
metadata: {name: template}
template: {metadata: {labels: {app: template}}, spec: {containers: [{name: main, image: httpd}]}}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: first}
revision: 1
data: {a: b}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
spec: {holderIdentity: me, leaseDurationSeconds: 40}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec: {limits: [{type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 100m}}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.example.org}
spec: {group: example.org, version: v1, groupPriorityMinimum: 1000, versionPriority: 15}
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: attached}
spec: {attacher: example.org, nodeName: node-1, source: {persistentVolumeName: none}}
---
apiVersion: authorization.k8s.io/v1
kind: SubjectAccessReview
metadata: {name: a}
spec: {user: me, resourceAttributes: {resource: pods, verb: get}}
---
apiVersion: authorization.k8s.io/v1
kind: SelfSubjectAccessReview
metadata: {name: b}
spec: {resourceAttributes: {resource: pods, verb: get}}
---
apiVersion: authorization.k8s.io/v1
kind: LocalSubjectAccessReview
metadata: {name: c, namespace: default}
spec: {user: me, resourceAttributes: {namespace: default, resource: pods, verb: get}}
---
apiVersion: authorization.k8s.io/v1
kind: SelfSubjectRulesReview
metadata: {name: d}
spec: {namespace: default}
---
apiVersion: authentication.k8s.io/v1
kind: TokenReview
metadata: {name: e}
spec: {token: abc}
`

func TestDeploy_rareKinds(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	d := kube.Definition{
		Objects: manifests(t, rareKinds), Workloads: map[string]kube.Workload{"VDU": {Kind: "Pod", Name: "placed"}},
	}
	for range 2 {
		shown, err := deploy(t, c, "vnf-1", owner, d)
		require.NoError(t, err, strings.Join(shown, "\n"))
	}
	inv, err := c.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	pod := inv.OfKind(vim.Compute)[0]
	require.Equal(t, "node-1", inv.Servers[pod.ID].Host, "it is bound")
	require.NoError(t, c.Change(t.Context(), vim.Change{
		Name: "vnf-1", Owner: owner, Operation: "heal", Replace: []vim.Resource{pod}, Timeout: time.Minute,
	}, func(string) {}), "the next Pod is bound, too")
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	requireNothingOf(t, p, owner)
	_, err = p.Client.StorageV1().VolumeAttachments().Get(t.Context(), "attached", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err), "%v", err)
}

// TestDeploy_rehearsesWhatIsInANamespaceToCome checks that the connector reports wrong objects before it makes anything,
// even if their namespace does not exist yet.
func TestDeploy_rehearsesWhatIsInANamespaceToCome(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	const into = "apiVersion: v1\nkind: Namespace\nmetadata: {name: coming}\n"
	in := func(text string) kube.Definition {
		return kube.Definition{Objects: manifests(t, into+text), Namespace: "coming", Override: true}
	}
	_, err := deploy(t, c, "vnf-2", owner, in(settings+
		"---\napiVersion: v1\nkind: Service\nmetadata: {name: bad}\nspec: {ports: [{port: 99999}]}\n"))
	failed, ok := err.(*lcm.Error) //nolint:errorlint // the error itself
	require.True(t, ok, "%v", err)
	require.Equal(t, lcm.KindInvalid, failed.Kind)
	require.Len(t, failed.Problems, 1)
	require.Equal(t, "Service coming/bad", failed.Problems[0].Path)
	require.NotContains(t, failed.Problems[0].Detail, "rehearsal")
	_, err = p.Client.CoreV1().Namespaces().Get(t.Context(), "coming", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err), "nothing was made")

	shown, err := deploy(t, c, "vnf-2", owner, in(settings+deployment("web", "httpd", 1)))
	require.NoError(t, err, strings.Join(shown, "\n"))
	require.NoError(t, c.Remove(t.Context(), "vnf-2", owner, func(string) {}))
}

// TestChange_leavesTheNumberOfPodsToSomebodyElsesAutoscaler: an autoscaler that is not of the VNF decides on the number
// of Pods.
func TestChange_leavesTheNumberOfPodsToSomebodyElsesAutoscaler(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	d := kube.Definition{
		Objects: manifests(t, deployment("web", "httpd", 1)), Replicas: map[string]int{"VDU": 2},
		Workloads: map[string]kube.Workload{"VDU": {Kind: "Deployment", Name: "web"}},
	}
	_, err := deploy(t, c, "vnf-4", owner, d)
	require.NoError(t, err)
	least := int32(4)
	_, err = p.Client.AutoscalingV2().HorizontalPodAutoscalers("default").Create(t.Context(), &autoscaling.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "theirs"},
		Spec: autoscaling.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscaling.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			MinReplicas:    &least, MaxReplicas: 5,
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	replicas := func() int32 {
		d, err := p.Client.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		return *d.Spec.Replicas
	}
	require.Eventually(t, func() bool { return replicas() == least }, time.Minute, 200*time.Millisecond)
	to := func(n int, scaled ...string) error {
		_, err := change(t, c, "vnf-4", "change", kube.Definition{Replicas: map[string]int{"VDU": n}, Scaled: scaled})
		return err
	}
	err = to(3, "VDU")
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.ErrorContains(t, err, "HorizontalPodAutoscaler default/theirs")
	require.NoError(t, to(2), "what is no scaling, a heal for example, leaves it")
	require.Equal(t, least, replicas())
	require.NoError(t, c.Remove(t.Context(), "vnf-4", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}
