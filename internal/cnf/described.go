package cnf

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// The labels that distinguish the Pods of VDUs. Services and affinity rules select Pods by them.
const (
	vnfLabel      = "windlass.nfv/vnf"
	workloadLabel = "windlass.nfv/workload"
	// cpLabel is the prefix of a label of Pods behind a connection point of several VDUs.
	cpLabel = "windlass.nfv/cp."
	// configMark is an annotation with a digest of a Pod's ConfigMaps: a change of them makes Kubernetes replace the
	// Pods.
	configMark = "windlass.nfv/config"
)

// describer makes the objects of the VDUs whose Pods the VNFD describes.
type describer struct {
	flavour  *descriptor.Flavour
	id       string
	vdus     []descriptor.Vdu
	capacity map[string]int
	inputs   inputs
	objects  []unstructured.Unstructured
}

// Describe makes manifests from the VNFD's descriptions of containers, and returns the workloads of the VDUs. VDUs have
// the numbers of Pods of the default instantiation level. Inputs of the VNFD are members of additionalParams.
//
// The problems concern inputs.
func Describe(f *descriptor.Flavour, id lcm.VnfInstanceID, additionalParams json.RawMessage) (
	objects []unstructured.Unstructured, workloads map[string]Workload, wrong []lcm.Problem,
) {
	capacity, err := f.Capacity("")
	if err != nil { // there is no default level: requests name one
		capacity, _ = f.CapacityAt(nil)
	}
	d := &describer{
		flavour: f, id: string(id), vdus: f.Described(), capacity: capacity, inputs: readInputs(additionalParams),
	}
	workloads = map[string]Workload{}
	for _, v := range d.vdus {
		d.configMaps(v)
	}
	for _, s := range f.Services {
		d.service(s)
	}
	for _, v := range d.vdus {
		workloads[v.ID] = Workload{Kind: v.Pod.Kind, Name: v.WorkloadName(d.id)}
		d.workload(v)
		d.autoscaler(v)
	}
	return d.objects, workloads, d.inputs.problems
}

// put stores an object as a manifest: without the members that only a cluster sets.
func (d *describer) put(o any) {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil { // cannot happen for Kubernetes' own types
		panic(err)
	}
	delete(object, "status")
	withoutEmpty(object)
	d.objects = append(d.objects, unstructured.Unstructured{Object: object})
}

// withoutEmpty removes empty members.
func withoutEmpty(of any) {
	switch of := of.(type) {
	case []any:
		for _, item := range of {
			withoutEmpty(item)
		}
	case map[string]any:
		for key, v := range of {
			withoutEmpty(v)
			if below, ok := v.(map[string]any); v == nil || ok && len(below) == 0 {
				delete(of, key)
			}
		}
	}
}

// meta is the metadata of an object of a VDU.
func (d *describer) meta(v descriptor.Vdu, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: v.Pod.Namespace, Labels: v.Pod.Labels}
}

// configMaps makes a ConfigMap from the config of each container.
func (d *describer) configMaps(v descriptor.Vdu) {
	for _, c := range v.Pod.Containers {
		if len(c.Config) == 0 {
			continue
		}
		d.put(&corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: d.meta(v, v.ConfigName(c, d.id)), Data: d.inputs.texts(c.Config),
		})
	}
}

// configDigest is a digest of the config of all the VDU's containers, "" for none.
func (d *describer) configDigest(v descriptor.Vdu) string {
	all := map[string]map[string]string{}
	for _, c := range v.Pod.Containers {
		if len(c.Config) > 0 {
			all[c.Name] = d.inputs.texts(c.Config)
		}
	}
	if len(all) == 0 {
		return ""
	}
	text, _ := json.Marshal(all) // texts can always be encoded
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func (d *describer) service(s descriptor.Service) {
	first, _ := d.flavour.Vdu(s.Vdus[0])
	selector := d.selector(*first)
	if len(s.Vdus) > 1 {
		selector = map[string]string{vnfLabel: d.id, cpOf(s): "true"}
	}
	ports := make([]corev1.ServicePort, 0, len(s.Ports))
	for _, p := range s.Ports {
		ports = append(ports, corev1.ServicePort{
			Name: p.Name, Protocol: corev1.Protocol(p.Protocol), Port: int32(p.Port), TargetPort: intstr.FromInt32(int32(p.Target)),
		})
	}
	d.put(&corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: d.meta(*first, d.flavour.ServiceName(s, d.id)),
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceType(s.Type), Selector: selector, Ports: ports},
	})
}

func cpOf(s descriptor.Service) string { return cpLabel + descriptor.ClusterName(s.ID, 60) }

// selector are the labels that exactly the Pods of one VDU of one VNF have.
func (d *describer) selector(v descriptor.Vdu) map[string]string {
	return map[string]string{vnfLabel: d.id, workloadLabel: v.WorkloadName(d.id)}
}

// podLabels are the labels of the selector, of the VNFD, and of connection points of several VDUs.
func (d *describer) podLabels(v descriptor.Vdu) map[string]string {
	out := d.selector(v)
	maps.Copy(out, v.Pod.Labels)
	for _, s := range d.flavour.Services {
		if len(s.Vdus) > 1 && slices.Contains(s.Vdus, v.ID) {
			out[cpOf(s)] = "true"
		}
	}
	return out
}

func (d *describer) workload(v descriptor.Vdu) {
	replicas := int32(d.capacity[v.ID])
	selector := &metav1.LabelSelector{MatchLabels: d.selector(v)}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: d.podLabels(v)},
		Spec: corev1.PodSpec{
			Containers: d.containers(v), Affinity: d.affinity(v), NodeSelector: nodeSelector(v),
			TopologySpreadConstraints: d.spread(v),
		},
	}
	if digest := d.configDigest(v); digest != "" {
		template.Annotations = map[string]string{configMark: digest}
	}
	meta, kind := d.meta(v, v.WorkloadName(d.id)), metav1.TypeMeta{APIVersion: "apps/v1", Kind: v.Pod.Kind}
	if v.Pod.Kind == descriptor.KindStatefulSet {
		d.put(&appsv1.StatefulSet{TypeMeta: kind, ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: selector, Template: template, ServiceName: d.serviceOf(v),
		}})
		return
	}
	d.put(&appsv1.Deployment{TypeMeta: kind, ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: selector, Template: template, Strategy: d.strategy(v),
	}})
}

// serviceOf is the first Service of a VDU, "" for none.
func (d *describer) serviceOf(v descriptor.Vdu) string {
	for _, s := range d.flavour.Services {
		if slices.Contains(s.Vdus, v.ID) {
			return d.flavour.ServiceName(s, d.id)
		}
	}
	return ""
}

func (d *describer) containers(v descriptor.Vdu) []corev1.Container {
	out := make([]corev1.Container, 0, len(v.Pod.Containers))
	for _, c := range v.Pod.Containers {
		of := corev1.Container{
			Name: c.Name, Image: d.inputs.text(c.Image), Command: d.inputs.list(c.Command), Args: d.inputs.list(c.Args),
			Resources: corev1.ResourceRequirements{Requests: quantities(c.Requests), Limits: quantities(c.Limits)},
		}
		for _, p := range c.Ports {
			of.Ports = append(of.Ports, corev1.ContainerPort{
				Name: p.Name, Protocol: corev1.Protocol(p.Protocol), ContainerPort: int32(p.Port),
			})
		}
		env := d.inputs.texts(c.Env)
		for _, name := range sortedKeys(env) {
			of.Env = append(of.Env, corev1.EnvVar{Name: name, Value: env[name]})
		}
		if len(c.Config) > 0 {
			of.EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: v.ConfigName(c, d.id)},
			}}}
		}
		out = append(out, of)
	}
	return out
}

func quantities(of map[string]string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, text := range of {
		if q, err := resource.ParseQuantity(text); err == nil { // vnfpkg has made a valid quantity
			out[corev1.ResourceName(name)] = q
		}
	}
	return out
}

func (d *describer) autoscaler(v descriptor.Vdu) {
	a := v.Pod.Autoscaling
	if a == nil {
		return
	}
	least, use := int32(cmp.Or(a.Min, 1)), int32(a.CPU)
	name := v.WorkloadName(d.id)
	d.put(&autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: d.meta(v, name),
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: v.Pod.Kind, Name: name},
			MinReplicas:    &least, MaxReplicas: int32(a.Max),
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{
					Name:   corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &use},
				},
			}},
		},
	})
}
