package kubernetes

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// once is a Job whose container ends as the image says: done or failed.
func once(image, more string) string {
	return strings.NewReplacer("IMAGE", image, "MORE", more).Replace(`---
apiVersion: batch/v1
kind: Job
metadata: {name: setup}
spec:
  backoffLimit: 0
  MORE
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: IMAGE}]}}
`)
}

// What works once is ready when its work is done, and never before.
func TestDeploy_waitsForTheEndOfAJob(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	web := deployment("web", "httpd", 1)
	shown, err := deploy(t, c, "vnf-jobs", owner, kube.Definition{Objects: manifests(t, web+once("done", ""))})
	require.NoError(t, err)
	assert.Contains(t, shown, "Job default/setup: ready")
	require.NoError(t, c.Remove(t.Context(), "vnf-jobs", owner, func(string) {}))

	failing := kube.Definition{Objects: manifests(t, web+once("failed", ""))}
	_, err = deploy(t, c, "vnf-jobs", owner, failing)
	require.ErrorContains(t, err, "Job default/setup has failed: BackoffLimitExceeded")
	assert.Equal(t, lcm.KindBroken, lcm.KindOf(err))
	shown, err = deploy(t, c, "vnf-jobs", owner, failing) // a retry
	require.ErrorContains(t, err, "has failed")
	assert.Contains(t, strings.Join(shown, "\n"), "has failed before", "it was made anew, or no retry could succeed")
	require.NoError(t, c.Remove(t.Context(), "vnf-jobs", owner, func(string) {}))

	pod := "---\napiVersion: v1\nkind: Pod\nmetadata: {name: once}\nspec: {restartPolicy: Never, containers: [{name: main, image: failed}]}\n"
	_, err = deploy(t, c, "vnf-jobs", owner, kube.Definition{Objects: manifests(t, web+pod)})
	require.ErrorContains(t, err, "Pod default/once has failed")
	require.NoError(t, c.Remove(t.Context(), "vnf-jobs", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

// Only a person ends a pause.
func TestDeploy_leavesAloneWhatItsAuthorHasPaused(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	paused := strings.Replace(deployment("spare", "httpd", 1), "spec:\n", "spec:\n  paused: true\n", 1)
	_, err := deploy(t, c, "vnf-paused", owner, kube.Definition{
		Objects: manifests(t, deployment("web", "httpd", 1)+paused+once("done", "suspend: true")),
	})
	require.NoError(t, err)
	require.NoError(t, c.Remove(t.Context(), "vnf-paused", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

// A Job with ttlSecondsAfterFinished removes itself. It counts as ready, and does not run again: it may be the migration
// of a database.
func TestDeploy_runsAJobThatRemovesItselfOnce(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	d := kube.Definition{Objects: manifests(t, deployment("web", "httpd", 1)+once("done", "ttlSecondsAfterFinished: 0"))}
	_, err := deploy(t, c, "vnf-ttl", owner, d)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := p.Client.BatchV1().Jobs("default").Get(t.Context(), "setup", metav1.GetOptions{})
		return errors.IsNotFound(err)
	}, time.Minute, 100*time.Millisecond)
	shown, err := change(t, c, "vnf-ttl", "heal", d)
	require.NoError(t, err)
	assert.Contains(t, shown, "it does not run again")
	_, err = p.Client.BatchV1().Jobs("default").Get(t.Context(), "setup", metav1.GetOptions{})
	assert.True(t, errors.IsNotFound(err), "%v", err)
	_, err = change(t, c, "vnf-ttl", "change", kube.Definition{
		Objects: manifests(t, deployment("web", "httpd", 1)+once("done", "ttlSecondsAfterFinished: 600")),
	})
	require.NoError(t, err)
	_, err = p.Client.BatchV1().Jobs("default").Get(t.Context(), "setup", metav1.GetOptions{})
	require.NoError(t, err, "another definition is another work")
}

// Kubernetes removes no volume before its claim.
func TestRemove_volumesOfThePackageAfterTheirClaims(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	const volume = `---
apiVersion: v1
kind: PersistentVolume
metadata: {name: own}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  storageClassName: ""
  hostPath: {path: /tmp/own}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: own}
spec: {accessModes: [ReadWriteOnce], storageClassName: "", volumeName: own, resources: {requests: {storage: 1Gi}}}
`
	_, err := deploy(t, c, "vnf-volumes", owner, kube.Definition{Objects: manifests(t, deployment("web", "httpd", 1)+volume)})
	require.NoError(t, err)
	require.NoError(t, c.Remove(t.Context(), "vnf-volumes", owner, func(string) {}))
	_, err = p.Client.CoreV1().PersistentVolumes().Get(t.Context(), "own", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err), "%v", err)
	requireNothingOf(t, p, owner)
}
