package kubernetes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestHeldBy_saysForWhomAnObjectThatIsDeletedWaits(t *testing.T) {
	for _, c := range []struct{ version, finalizer, want string }{
		{"apps/v1", metav1.FinalizerDeleteDependents, ""},
		{"networking.k8s.io/v1", metav1.FinalizerDeleteDependents, ""},
		{"example.org/v1", metav1.FinalizerDeleteDependents, "looks for new kinds twice a minute"},
		{"example.org/v1", "example.org/operator", "it waits for its finalizers: example.org/operator"},
	} {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": c.version, "kind": "Any"}}
		o.SetFinalizers([]string{c.finalizer})
		require.Empty(t, heldBy(o), "it is not deleted")
		now := metav1.NewTime(time.Now())
		o.SetDeletionTimestamp(&now)
		if c.want == "" {
			require.Empty(t, heldBy(o), c.version)
			continue
		}
		require.Contains(t, heldBy(o), c.want)
	}
}
