package kubernetes

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const ofDefault = "GET /api/v1/namespaces/default/"

// filling answers lists of a resource with nothing, and its watches with new objects of 1 MiB each. A watch ends before
// Windlass ends it, and the next one goes on.
func filling(list, kind string) http.HandlerFunc { return counted(list, kind, new(atomic.Int64)) }

func counted(list, kind string, made *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprint(w, list)
			return
		}
		for range 14 {
			_, err := fmt.Fprintf(w, `{"type":"ADDED","object":{"apiVersion":"v1","kind":%q,"metadata":{"namespace":"default",
				"name":"n%d","resourceVersion":"%[2]d"},"data":{"text":%q}}}`+"\n", kind, made.Add(1), strings.Repeat("x", 1<<20))
			if err != nil {
				return
			}
		}
	}
}

// quiet answers lists of a resource with nothing, and its watches not at all.
func quiet(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprint(w, emptyList(kind))
			return
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

func emptyList(kind string) string {
	return `{"kind":"` + kind + `List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`
}

// TestUntil_isBounded follows a ConfigMap in clusters that try to fill the memory.
func TestUntil_isBounded(t *testing.T) {
	t.Parallel()
	endless := func(w http.ResponseWriter, r *http.Request) {
		next := "more"
		if r.URL.Query().Get("limit") == "1" { // the first look at the credentials
			next = ""
		}
		fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"continue":%q},"items":[]}`, next)
	}
	one := followable("ConfigMap", "configmaps")
	for name, c := range map[string]struct {
		maps, events http.HandlerFunc
		is           string
	}{
		"objects without end": {filling(emptyList("ConfigMap"), "ConfigMap"), quiet("Event"), "larger than the limit of 64 MiB"},
		"a list without end":  {endless, quiet("Event"), "more than 1000 pages"},
		"events without end":  {quiet("ConfigMap"), filling(emptyList("Event"), "Event"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := hostile(t, map[string]http.HandlerFunc{
				ofDefault + "configmaps": c.maps, ofDefault + "pods": quiet("Pod"), ofDefault + "events": c.events,
			})
			ctx, stop := context.WithTimeout(t.Context(), 6*time.Minute)
			defer stop()
			w := cluster.wait("owner", 0, func(string) {})
			err := w.until(ctx, []prepared{one}, func(context.Context, []prepared) (bool, error) {
				kept := 0
				for _, o := range w.listed(events) {
					kept += sizeOf(o.Object)
				}
				return kept > mostFollowed-(4<<20), nil
			})
			if c.is == "" {
				require.NoError(t, err, "events only explain")
				return
			}
			require.ErrorContains(t, err, c.is)
			assert.Equal(t, lcm.KindInvalid, lcm.KindOf(err))
		})
	}
}

func followable(kind, resource string) prepared {
	return prepared{
		Unstructured: unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "page", "namespace": "default"},
		}},
		mapping: &meta.RESTMapping{
			Resource: schema.GroupVersionResource{Version: "v1", Resource: resource}, Scope: meta.RESTScopeNamespace,
		},
		verbs: []string{"get", "list", "watch", "create", "delete"},
	}
}

// TestUntil_judgesNothingIfItKnowsTooLittle has the limit exceeded while Windlass still asks for other kinds: what it does
// not follow any more is not gone.
func TestUntil_judgesNothingIfItKnowsTooLittle(t *testing.T) {
	t.Parallel()
	var made atomic.Int64
	cluster := hostile(t, map[string]http.HandlerFunc{
		ofDefault + "configmaps": counted(emptyList("ConfigMap"), "ConfigMap", &made),
		ofDefault + "pods":       quiet("Pod"), ofDefault + "events": quiet("Event"),
		ofDefault + "secrets": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = http.NewResponseController(w).Flush()          // a busy machine takes long for 64 MiB; the client waits a minute for headers
			for made.Load() < 64 && r.Context().Err() == nil { // just above the limit
				time.Sleep(10 * time.Millisecond)
			}
			quiet("Secret")(w, r)
		},
	})
	ctx, stop := context.WithTimeout(t.Context(), 6*time.Minute)
	defer stop()
	w := cluster.wait("owner", 0, func(string) {})
	objects := []prepared{followable("ConfigMap", "configmaps"), followable("Secret", "secrets")}
	err := w.until(ctx, objects, func(context.Context, []prepared) (bool, error) {
		assert.NoError(t, w.watching.Err())
		return false, nil
	})
	require.ErrorContains(t, err, "larger than the limit of 64 MiB")
}
