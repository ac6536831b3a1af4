package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/podnetworks"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// TestStorageOnRealMachines makes a cluster with a storage server and two image registries. NFS-Ganesha exports a
// volume of Cinder. Pods on several workers share files, in volumes of the package and in volumes of a storage class.
// The kubelets pull images over HTTP and HTTPS.
func TestStorageOnRealMachines(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("Real machines need root; the scenarios on fake machines have run.")
	}
	file := filepath.Join(t.TempDir(), "pod-network.yaml")
	require.NoError(t, os.WriteFile(file, podnetworks.FlannelOfLab(t), 0o600))
	t.Setenv("WINDLASS_KUBERNETES_POD_NETWORK", file)
	b := newBed(t, "nspawn")
	ca, certificate := privateCA(t)
	b.onboardWithCA(t, ca)
	plain, secure := newImageStore(t, b.HostOfMachines(t), "", nil),
		newImageStore(t, b.HostOfMachines(t), registryName, certificate)
	vnf := b.CreateOf(t, registryVnfdID, "store")
	op := b.Begin(t, vnf, "instantiate", b.SampleRequest(t, "storage", "store", func(_, cluster map[string]any) {
		delete(cluster, "cni_manifest_path") // the operator's default: flannel's own manifest
		cluster["private_registry_connection_info"] = []any{
			map[string]any{"connection_type": "0", "server": plain.server},
			map[string]any{
				"connection_type": "1", "server": secure.server, "username": "user01", "password": registryPassword,
				"certificate_path": "Files/registries/ca.crt", "hosts_string": secure.host + " " + registryName,
			},
		}
		addClass(cluster)
	}))
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	day := dayTwo{bed: b, vnf: vnf, cluster: "cluster-store", controlPlanes: 1, workers: 2, limit: 15 * time.Minute}
	s := sharedFiles{realPods{dayTwo: &day, c: b.Kubernetes(t, day.cluster)}}
	workers := s.workers(t)
	require.Len(t, workers, 2)

	s.claim(t)
	s.write(t, workers[0])
	s.read(t, "reader", workers[1])
	own := s.claimOfClass(t)
	s.runOn(t, "own-writer", workers[0], own.claim, "echo written >/data/file")
	s.runOn(t, "own-reader", workers[1], own.claim, readFile)
	s.pull(t, "over-http", workers[0], plain.image())
	s.pull(t, "over-https", workers[1], secure.image())

	server := b.VnfcOf(t, vnf, testbed.StorageVdu)
	heal := map[string]any{"vnfcInstanceId": []string{server}, "additionalParams": map[string]any{"keep_volumes": true}}
	got := b.Await(t, b.Begin(t, vnf, "heal", heal), 5*time.Minute, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"],
		"nfs-pv1 (claim default/data, used by the Pod default/writer-")

	day.healSwitchedOff(t, "workerNode")
	for _, node := range s.workers(t) {
		if node != workers[0] && node != workers[1] {
			s.read(t, "newcomer", node)
			s.pull(t, "after-heal", node, secure.image())
		}
	}
	s.letGo(t)
	left := s.leftBehind(t)
	day.operate(t, "heal", heal)
	require.NotEqual(t, server, b.VnfcOf(t, vnf, testbed.StorageVdu))
	require.Equal(t, own, s.bound(t, own.claim), "it was left alone")
	left.server = own.server
	require.Equal(t, left, s.bound(t, left.claim), "it has moved")
	s.runOn(t, "own-afterwards", s.workers(t)[0], own.claim, readFile)
	s.claim(t)
	s.read(t, "afterwards", s.workers(t)[0])
	s.letGo(t)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// sharedFiles are files that Pods of a real cluster share.
type sharedFiles struct{ realPods }

// claim binds a claim to the first volume of the package.
func (s *sharedFiles) claim(t *testing.T) {
	t.Helper()
	class := "nfs"
	_, err := s.c.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, StorageClassName: &class,
			VolumeName: "nfs-pv1",
			Resources:  corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		claim, err := s.c.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), "data", metav1.GetOptions{})
		return err == nil && claim.Status.Phase == corev1.ClaimBound
	}, 2*time.Minute, time.Second, "the claim is not bound")
}

// podOf returns a Pod that runs a command in the lab's own image, with a claim at /data.
func podOf(claim, command string) corev1.PodSpec {
	grace := int64(1)
	return corev1.PodSpec{
		TerminationGracePeriodSeconds: &grace,
		Containers: []corev1.Container{{
			Name: "main", Image: "lab.local/web:v1", ImagePullPolicy: corev1.PullIfNotPresent,
			Command:      []string{"/bin/sh", "-c", command},
			VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
		}},
		Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}}},
	}
}

// write makes a Deployment whose Pod writes a file. The Pod can move to another node when its node is drained.
func (s *sharedFiles) write(t *testing.T, node string) {
	t.Helper()
	labels := map[string]string{"app": "writer"}
	pod := podOf("data", "[ -e /data/file ] || echo written >/data/file; exec sleep 100000")
	pod.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
		Weight: 100, Preference: corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node},
		}}},
	}}}}
	_, err := s.c.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "writer"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		d, err := s.c.AppsV1().Deployments(namespace).Get(t.Context(), "writer", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == 1
	}, 3*time.Minute, time.Second, "no pod writes")
}

// read checks that a Pod on that node sees the file of the writer.
func (s *sharedFiles) read(t *testing.T, name, node string) {
	t.Helper()
	s.runOn(t, name, node, "data", readFile)
}

// readFile waits for the file that another Pod has written.
const readFile = `until [ "$(cat /data/file)" = written ]; do sleep 0.5; done`

// runOn runs a command to its end on that node, with a claim at /data.
func (s *sharedFiles) runOn(t *testing.T, name, node, claim, command string) {
	t.Helper()
	pod := podOf(claim, command)
	pod.NodeName, pod.RestartPolicy = node, corev1.RestartPolicyNever
	s.run(t, name, pod, corev1.PodSucceeded)
}

// letGo deletes the Pods and the claim.
func (s *sharedFiles) letGo(t *testing.T) {
	t.Helper()
	_ = s.c.AppsV1().Deployments(namespace).Delete(t.Context(), "writer", metav1.DeleteOptions{})
	require.Eventually(t, func() bool {
		pods, err := s.c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
		return err == nil && len(pods.Items) == 0
	}, 3*time.Minute, time.Second, "pods are still there")
	require.NoError(t, s.c.CoreV1().PersistentVolumeClaims(namespace).Delete(t.Context(), "data", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		_, err := s.c.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), "data", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, 2*time.Minute, time.Second, "the claim is still there")
}
