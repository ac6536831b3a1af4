package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func objectOf(kind string, spec, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "once", "namespace": "default", "uid": "u1"},
		"spec": spec, "status": status,
	}}
}

func condition1(kind string) map[string]any {
	return map[string]any{"conditions": []any{map[string]any{
		"type": kind, "status": "True", "reason": "BackoffLimitExceeded", "message": "it ended with 1",
	}}}
}

func TestEndsByItself_isWhatWorksAndEnds(t *testing.T) {
	w := (&Connection{}).wait("owner", 0, func(string) {})
	container := []any{map[string]any{"name": "c"}}
	probed := []any{map[string]any{"name": "c", "readinessProbe": map[string]any{}}}
	for name, c := range map[string]struct {
		kind string
		spec map[string]any
		want bool
	}{
		"a Job":                        {"Job", nil, true},
		"a Pod that serves":            {"Pod", map[string]any{"containers": container}, false},
		"a Pod that runs once":         {"Pod", map[string]any{"restartPolicy": "Never", "containers": container}, true},
		"a Pod that repeats its tries": {"Pod", map[string]any{"restartPolicy": "OnFailure", "containers": container}, true},
		"a Pod that becomes ready":     {"Pod", map[string]any{"restartPolicy": "Never", "containers": probed}, false},
		"a Deployment":                 {"Deployment", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, w.endsByItself(objectOf(c.kind, c.spec, nil)))
		})
	}
	w.serving = []Workload{{"Pod", "once"}}
	assert.False(t, w.endsByItself(objectOf("Pod", map[string]any{"restartPolicy": "Never", "containers": container}, nil)),
		"a VDU serves")
}

func TestRests_isWhatItsAuthorHasPaused(t *testing.T) {
	assert.True(t, rests(objectOf("Deployment", map[string]any{"paused": true}, nil)))
	assert.False(t, rests(objectOf("Deployment", nil, nil)))
	assert.True(t, rests(objectOf("Job", map[string]any{"suspend": true}, nil)))
	assert.False(t, rests(objectOf("Job", map[string]any{"suspend": false}, nil)))
}

func TestJudgeOnce_waitsForTheEnd(t *testing.T) {
	w := (&Connection{}).wait("owner", 0, func(string) {})
	ready, why, err := w.judgeOnce(objectOf("Job", nil, map[string]any{"active": int64(1)}))
	require.NoError(t, err)
	assert.False(t, ready)
	assert.Equal(t, "it runs", why)

	_, _, err = w.judgeOnce(objectOf("Job", nil, condition1("Failed")))
	require.ErrorContains(t, err, "Job default/once has failed: BackoffLimitExceeded: it ended with 1")
	assert.Equal(t, lcm.KindBroken, lcm.KindOf(err))

	ready, _, err = w.judgeOnce(objectOf("Job", nil, condition1("Complete")))
	require.NoError(t, err)
	assert.True(t, ready)
}

func TestJudgeGone_remembersHowAJobEnded(t *testing.T) {
	ttl := map[string]any{"ttlSecondsAfterFinished": int64(0)}
	job := prepared{Unstructured: *objectOf("Job", nil, nil)}
	w := (&Connection{}).wait("owner", 0, func(string) {})
	ready, why, err := w.judgeGone(job)
	require.NoError(t, err)
	assert.False(t, ready)
	assert.Equal(t, "it does not exist yet", why)

	w.noteEnd(objectOf("Job", nil, condition1("Complete")))
	_, seen := w.endOf(job)
	assert.False(t, seen, "somebody has deleted a Job that does not remove itself")

	w.noteEnd(objectOf("Job", ttl, condition1("Complete")))
	ready, _, err = w.judgeGone(job)
	require.NoError(t, err)
	assert.True(t, ready, "ttlSecondsAfterFinished has removed it")

	w.noteEnd(objectOf("Job", ttl, condition1("Failed")))
	_, _, err = w.judgeGone(job)
	require.ErrorContains(t, err, "has failed")

	again := (&Connection{}).wait("owner", 0, func(string) {})
	again.former = append(again.former, "u1")
	again.noteEnd(objectOf("Job", ttl, condition1("Failed")))
	_, seen = again.endOf(job)
	assert.False(t, seen, "that was the Job of an earlier attempt")
}

func TestRecord_knowsWhichJobsAreOver(t *testing.T) {
	job := prepared{Unstructured: *objectOf("Job", map[string]any{"ttlSecondsAfterFinished": int64(1)}, nil)}
	r := &record{}
	assert.False(t, r.isOver(job))
	r.Over = map[string]string{key(&job.Unstructured): digestOf(&job.Unstructured)}
	assert.True(t, r.isOver(job))
	other := prepared{Unstructured: *objectOf("Job", map[string]any{"ttlSecondsAfterFinished": int64(2)}, nil)}
	assert.False(t, r.isOver(other), "another definition is another work")
}
