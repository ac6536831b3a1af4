package kubespray

import (
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	images "github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// ofStorage is the VNFD of the package with a storage server.
const ofStorage = "2d0c6f0a-3f0b-4a6b-9a53-7f2f4f0d1c78"

// TestWindlass_storesAndPulls has a cluster by kubespray with a storage server and a registry of images. A Pod on one
// worker writes a file, and Pods on another worker and on a later one read it. Their image comes from the registry.
func TestWindlass_storesAndPulls(t *testing.T) {
	s := newSite(t)
	s.Onboard(t, s.storagePackage(t))
	server := s.serveImage(t)
	vnf := s.CreateOf(t, ofStorage, "stores")
	op := s.Begin(t, vnf, "instantiate", s.requestOf(t, "storage", "kubespray", nil, func(cluster map[string]any) {
		for _, ofKubeadm := range []string{"cni_manifest_path", "kubeadm_config_path", "ignore_preflight_errors"} {
			delete(cluster, ofKubeadm)
		}
		cluster["private_registry_connection_info"] = []any{map[string]any{"connection_type": "0", "server": server}}
	}))
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(s.Timings(t, op))
	s.claim(t)
	workers := s.workers(t)
	require.Len(t, workers, 2)
	s.pod(t, "writer", workers[0], server, "echo written >/data/file")
	s.pod(t, "reader", workers[1], server, "[ \"$(cat /data/file)\" = written ]")

	op = s.Heal(t, vnf, s.VnfcOf(t, vnf, "workerNode"))
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	for _, node := range s.workers(t) {
		if node != workers[0] && node != workers[1] {
			s.pod(t, "newcomer", node, server, "[ \"$(cat /data/file)\" = written ]")
		}
	}
	s.Remove(t, vnf)
	require.Empty(t, s.left(t))
}

// storagePackage returns a copy of the sample of kubeadm's driver, which has a storage server, changed to use the
// driver for kubespray.
func (s site) storagePackage(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(s.Root, "vnfpkg/samples/k8s-ha"))))
	change := strings.NewReplacer(testbed.VnfdID, ofStorage, "mgmt-drivers-kubernetes", "mgmt-drivers-kubespray")
	definitions, err := filepath.Glob(filepath.Join(dir, "Definitions/*.yaml"))
	require.NoError(t, err)
	for _, file := range definitions {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(change.Replace(string(text))), 0o600))
	}
	return dir
}

// serveImage runs a registry with the lab's image of a web server at an address that machines can reach, and returns
// that address.
func (s site) serveImage(t *testing.T) (server string) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(s.HostOfMachines(t), "0"))
	require.NoError(t, err)
	serving := &http.Server{
		Handler: registry.New(registry.Logger(log.New(io.Discard, "", 0))), ReadHeaderTimeout: 5 * time.Second,
	}
	go func() { _ = serving.Serve(listener) }()
	t.Cleanup(func() { _ = serving.Close() })
	server = listener.Addr().String()

	img, ok := image.Find(image.Options{Source: s.Root})
	require.True(t, ok)
	archives, err := filepath.Glob(filepath.Join(filepath.Dir(img.Node), "images-*", "web.tar"))
	require.NoError(t, err)
	require.NotEmpty(t, archives, "the image of the lab's machines has no archive of a web server's image")
	web, err := tarball.ImageFromPath(archives[0], nil)
	require.NoError(t, err)
	ref, err := name.ParseReference(server+"/lab/web:v1", name.Insecure)
	require.NoError(t, err)
	require.NoError(t, images.Write(ref, web, images.WithContext(t.Context())))
	return server
}

func (s site) workers(t *testing.T) (names []string) {
	t.Helper()
	nodes, err := s.Kubernetes(t, "cluster-kubespray").CoreV1().Nodes().List(t.Context(),
		metav1.ListOptions{LabelSelector: "!node-role.kubernetes.io/control-plane"})
	require.NoError(t, err)
	for _, n := range nodes.Items {
		require.True(t, testbed.Ready(n), n.Name)
		names = append(names, n.Name)
	}
	return names
}

// claim creates a claim for the first volume of the storage server.
func (s site) claim(t *testing.T) {
	t.Helper()
	claims, class := s.Kubernetes(t, "cluster-kubespray").CoreV1().PersistentVolumeClaims("default"), "nfs"
	_, err := claims.Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, StorageClassName: &class,
			VolumeName: "nfs-pv1",
			Resources:  corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// pod runs a command to its end on this node, with an image of the registry, and with the claim mounted at /data.
func (s site) pod(t *testing.T, pod, node, server, command string) {
	t.Helper()
	pods := s.Kubernetes(t, "cluster-kubespray").CoreV1().Pods("default")
	_, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: pod},
		Spec: corev1.PodSpec{
			NodeName: node, RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{
				Name: "main", Image: server + "/lab/web:v1", Command: []string{"/bin/sh", "-c", command},
				VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
			}},
			Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
			}}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		now, err := pods.Get(t.Context(), pod, metav1.GetOptions{})
		return err == nil && now.Status.Phase == corev1.PodSucceeded
	}, 3*time.Minute, time.Second, "the Pod %s does not end well", pod)
}
