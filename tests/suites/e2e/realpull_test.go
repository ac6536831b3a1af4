package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
)

const pulledVnfdID = "3d1f0c52-8f0a-4a53-9a7c-5be2f7f0c1b1"

// servesFrom instantiates a containerised VNF on the cluster. Its image is in a registry that is a VNF, too. Its Pods
// pull with the user of their own VNF, while the nodes have no credentials.
func (p *puller) servesFrom(t *testing.T, store *registryVnf) {
	t.Helper()
	lab, ok := image.Find(image.Options{Source: p.Root})
	require.True(t, ok, "the lab runs")
	archives, err := filepath.Glob(filepath.Join(filepath.Dir(lab.Node), "images-*", "web.tar"))
	require.NoError(t, err)
	require.NotEmpty(t, archives, "the image of the lab's machines has no archive of a web server's image")
	web, err := tarball.ImageFromPath(archives[0], nil)
	require.NoError(t, err)
	require.NoError(t, store.to.push(t, store.server+"/lab/web:v1", web))

	r := realContainers{bed: p.bed, c: p.c, vim: p.Get(t, "/v1.0/vims?name="+p.cluster)["vims"].([]any)[0].(map[string]any)}
	r.Onboard(t, r.variant(t, strings.NewReplacer(webVnfdID, pulledVnfdID, "lab.local/web:v1", store.server+"/lab/web:v1",
		"IfNotPresent", "Always")))
	begin := func(password string) (vnf, op string) {
		request := r.request(t, "cnf-manifests")
		request["additionalParams"].(map[string]any)["private_registry_connection_info"] = []any{map[string]any{
			"connection_type": "1", "server": store.server, "username": "user01", "password": password,
		}}
		vnf = r.CreateOf(t, pulledVnfdID, "pulled")
		return vnf, r.Begin(t, vnf, "instantiate", request)
	}
	workers := p.workers(t)
	for _, node := range workers {
		p.renewKubelet(t, "forgets-"+node, node, `{"auths":{}}`)
	}
	vnf, op := begin(registryPassword)
	p.Await(t, op, p.limit, "COMPLETED")
	t.Log(p.Timings(t, op))
	r.requireText(t, "web", "80", "from a Pod")
	pods, err := p.c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	require.NoError(t, err)
	require.Len(t, pods.Items, 1)
	require.Len(t, pods.Items[0].Spec.ImagePullSecrets, 1)
	r.growAndHeal(t, vnf)
	r.requireText(t, "web", "80", "from a Pod")
	p.requireNowhere(t, vnf, op, map[string]string{"the registry's password": registryPassword})
	p.terminate(t, vnf)
	requireNoPods(t, p.c)

	vnf, op = begin(wrongPassword)
	r.requireToldSoon(t, p.c, op, waits("ErrImagePull", "ImagePullBackOff"), store.server+"/lab/web:v1")
	p.requireNowhere(t, vnf, op, map[string]string{"the wrong password": wrongPassword})
	p.Delete(t, vnf)
	for _, node := range workers {
		p.renewKubelet(t, "knows-"+node, node, "") // without a file, it gets its own credentials back
	}
}

// renewKubelet gives the kubelet on that node these credentials and kills it. The next kubelet reads them.
func (p *puller) renewKubelet(t *testing.T, name, node, credentials string) {
	t.Helper()
	const program = `import os, signal, sys
os.remove("/kubelet/config.json")
if sys.argv[1]:
    open("/kubelet/config.json", "w").write(sys.argv[1])
for pid in filter(str.isdigit, os.listdir("/proc")):
    if open(f"/proc/{pid}/comm").read() == "kubelet\n":
        os.kill(int(pid), signal.SIGKILL)
`
	privileged := true
	p.run(t, name, corev1.PodSpec{
		NodeName: node, HostPID: true, RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{
			Name: "main", Image: "lab.local/web:v1", ImagePullPolicy: corev1.PullNever,
			Command:         []string{"/usr/bin/python3", "-c", program, credentials},
			SecurityContext: &corev1.SecurityContext{Privileged: &privileged},
			VolumeMounts:    []corev1.VolumeMount{{Name: "kubelet", MountPath: "/kubelet"}},
		}},
		Volumes: []corev1.Volume{{Name: "kubelet", VolumeSource: corev1.VolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/kubelet"},
		}}},
	}, corev1.PodSucceeded)
}
