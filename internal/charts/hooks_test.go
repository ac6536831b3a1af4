package charts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// A hook with generateName gets another name in each revision, and the same name in each attempt.
func TestRender_namesHooksBeforehand(t *testing.T) {
	const hook = `apiVersion: batch/v1
kind: Job
metadata: { generateName: migrate-, annotations: { helm.sh/hook: "pre-install,pre-upgrade" } }
spec: { template: { spec: { containers: [] } } }
`
	named := func(revision int, r Release) string {
		made, err := Render(t.Context(), r, revision, Capabilities{}, nil)
		require.NoError(t, err)
		require.Len(t, made.Hooks, 2)
		objects, err := Objects(made.Hooks[0].Manifest)
		require.NoError(t, err)
		require.Regexp(t, `^migrate-[0-9a-f]{8}$`, objects[0].GetName())
		require.Equal(t, objects[0].GetName(), made.Hooks[0].Name)
		require.Empty(t, objects[0].GetGenerateName())
		require.NotEqual(t, objects[0].GetName(), made.Hooks[1].Name, "each hook has its own")
		return objects[0].GetName()
	}
	r := of(a(map[string]string{"templates/a.yaml": hook + "---\n" + hook}), nil)
	first := named(1, r)
	require.Equal(t, first, named(1, r), "of another attempt")
	require.NotEqual(t, first, named(2, r), "of the next revision")
	r.PullSecret = "ours"
	require.Equal(t, first, named(1, r))
}

func TestRender_refusesHooksWithoutAName(t *testing.T) {
	_, err := Render(t.Context(), of(a(map[string]string{
		"templates/a.yaml": `{apiVersion: batch/v1, kind: Job, metadata: {annotations: {helm.sh/hook: pre-install}}}`,
	}), nil), 1, Capabilities{}, nil)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err, "the hook of web/templates/a.yaml: it is a Job without a name (metadata.name)")
}
