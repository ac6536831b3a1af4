package kubetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Kubelet is a kubelet without containers. The name of an image determines the state of its container: "broken" cannot
// be pulled, "crash" ends again and again, "unset" lacks its configuration, "stubborn" ends only when it is killed,
// "done" succeeds, "failed" fails, "unready" runs and never passes its check; all others run.
type Kubelet struct {
	client    kubernetes.Interface
	addresses atomic.Int32
	// Pace is the time for each step that it does with a Pod, in nanoseconds.
	Pace atomic.Int64
	// WithoutMultus leaves Pods on the cluster's own network, even if their annotations name others.
	WithoutMultus atomic.Bool
	// Reported is the time of its first report of a problem, in nanoseconds since the epoch.
	Reported atomic.Int64

	reports sync.Map // the time of the first report in each namespace
}

// ReportedIn returns the time when the kubelet first reported a problem in a namespace, or the zero time.
func (k *Kubelet) ReportedIn(namespace string) time.Time {
	at, _ := k.reports.Load(namespace)
	when, _ := at.(time.Time)
	return when
}

// Node is the name of the only node.
const Node = "node-1"

// GPU is a device that the node has twice. It also has 64 MiB of huge pages.
const GPU = "example.com/gpu"

// again is the longest time before the kubelet tries a Pod again after the API server was down.
const again = 5 * time.Second

// join creates the node, and does a kubelet's work until life ends.
func (k *Kubelet) join(ctx, life context.Context) error {
	if err := k.makeNode(ctx, life); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(k.client, again)
	pods := factory.Core().V1().Pods().Informer()
	look := func(o any) {
		if pod, ok := o.(*corev1.Pod); ok && pod.Spec.NodeName == Node {
			time.AfterFunc(time.Duration(k.Pace.Load()), func() { k.look(life, pod) })
		}
	}
	_, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: look, UpdateFunc: func(_, o any) { look(o) }})
	if err != nil {
		return err
	}
	factory.Start(life.Done())
	return nil
}

func (k *Kubelet) makeNode(ctx, life context.Context) error {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("16Gi"),
		corev1.ResourcePods: resource.MustParse("1000"), "hugepages-2Mi": resource.MustParse("64Mi"), GPU: resource.MustParse("2"),
	}
	made, err := k.client.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: Node}},
		metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if made.Status, err = serve(life); err != nil {
		return err
	}
	made.Status.Capacity, made.Status.Allocatable = room, room
	made.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now(),
		LastTransitionTime: metav1.Now(),
	}}
	if _, err := k.client.CoreV1().Nodes().UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return until(ctx, "controllers have seen that the node is ready", func() bool {
		n, err := k.client.CoreV1().Nodes().Get(ctx, Node, metav1.GetOptions{})
		// Controllers taint a new node until they have seen that it is ready.
		return err == nil && len(n.Spec.Taints) == 0
	})
}

// look does the next step for the Pod, depending on its state.
func (k *Kubelet) look(ctx context.Context, pod *corev1.Pod) {
	atOnce := metav1.DeleteOptions{ // the UID is needed because a StatefulSet's next Pod has the same name
		GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	}
	switch {
	case pod.DeletionTimestamp != nil && pod.Spec.Containers[0].Image == "stubborn" && *pod.DeletionGracePeriodSeconds > 1:
		// The container uses its whole grace period. If a later deletion shortens it, the kubelet looks at the Pod
		// again.
	case pod.DeletionTimestamp != nil:
		_ = k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, atOnce)
	case len(pod.Status.ContainerStatuses) == 0:
		var err error
		if pod, err = k.plug(ctx, pod.DeepCopy()); err != nil {
			return // the change of another client causes a new event
		}
		pod.Status.Phase, pod.Status.PodIP = corev1.PodPending, fmt.Sprintf("10.244.0.%d", k.addresses.Add(1)%250)
		pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
		ready := true
		for _, c := range pod.Spec.Containers {
			s := stateOf(c)
			ready = ready && s.Ready
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, s)
		}
		is := corev1.ConditionFalse
		if ended := phaseOf(pod.Status.ContainerStatuses); ended != "" {
			pod.Status.Phase = ended
		} else if ready {
			pod.Status.Phase, is = corev1.PodRunning, corev1.ConditionTrue
		} else {
			k.Reported.CompareAndSwap(0, time.Now().UnixNano())
			k.reports.LoadOrStore(pod.Namespace, time.Now())
		}
		pod.Status.Conditions = append(pod.Status.Conditions,
			corev1.PodCondition{Type: corev1.PodReady, Status: is, LastTransitionTime: metav1.Now()},
			corev1.PodCondition{Type: corev1.ContainersReady, Status: is, LastTransitionTime: metav1.Now()})
		_, _ = k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		k.complain(ctx, pod)
	}
}

// complain reports the failed checks of a Pod that never passes them, as a kubelet does.
func (k *Kubelet) complain(ctx context.Context, pod *corev1.Pod) {
	for _, c := range pod.Spec.Containers {
		if c.Image != "unready" {
			continue
		}
		now := metav1.Now()
		_, _ = k.client.CoreV1().Events(pod.Namespace).Create(ctx, &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{GenerateName: pod.Name + "."},
			InvolvedObject: corev1.ObjectReference{
				Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, FieldPath: "spec.containers{" + c.Name + "}",
			},
			Type: corev1.EventTypeWarning, Reason: "Unhealthy", FirstTimestamp: now, LastTimestamp: now,
			Message: "Readiness probe failed: HTTP probe failed with statuscode: 503",
		}, metav1.CreateOptions{})
	}
}

func stateOf(c corev1.Container) corev1.ContainerStatus {
	s := corev1.ContainerStatus{Name: c.Name, Image: c.Image}
	waiting := func(reason, message string) corev1.ContainerStatus {
		s.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
		return s
	}
	switch {
	case strings.HasPrefix(c.Image, "broken"), strings.HasPrefix(c.Image, "error"): // packages of Tacker use "error"
		return waiting("ImagePullBackOff", "Back-off pulling image "+c.Image)
	case strings.HasPrefix(c.Image, "unset"):
		return waiting("CreateContainerConfigError", `configmap "none" not found`)
	case strings.HasPrefix(c.Image, "crash"):
		return waiting("CrashLoopBackOff", "back-off 10s restarting failed container "+c.Name)
	}
	if code, ends := map[string]int32{"done": 0, "failed": 1}[c.Image]; ends {
		s.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: code, FinishedAt: metav1.Now()}
		return s
	}
	started := true
	s.Ready, s.Started = c.Image != "unready", &started
	s.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.Now()}
	return s
}

// phaseOf returns the phase of a Pod whose only container has ended, and "" for other Pods.
func phaseOf(containers []corev1.ContainerStatus) corev1.PodPhase {
	switch {
	case len(containers) != 1 || containers[0].State.Terminated == nil:
		return ""
	case containers[0].State.Terminated.ExitCode == 0:
		return corev1.PodSucceeded
	default:
		return corev1.PodFailed
	}
}
