package kubernetes

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestSettle_believesNobodyButTheAPIServer checks that a 404 of a proxy does not mean that there is no deployment.
func TestSettle_believesNobodyButTheAPIServer(t *testing.T) {
	const ofKubernetes = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,` +
		`"message":"secrets \"vnf-1\" not found","details":{"name":"vnf-1","kind":"secrets"}}`
	for kind, c := range map[lcm.ErrorKind]struct{ media, body string }{
		lcm.KindNotFound:    {"application/json", ofKubernetes},
		lcm.KindUnavailable: {"text/html", "<html>404 Not Found</html>"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, _ *http.Request) {
			res.Header().Set("Content-Type", c.media)
			res.WriteHeader(http.StatusNotFound)
			_, _ = res.Write([]byte(c.body))
		}))
		t.Cleanup(server.Close)
		clients, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
		require.NoError(t, err)
		cluster := &Connection{core: clients.CoreV1(), namespace: "default", name: "edge"}
		err = cluster.Settle(t.Context(), "vnf-1", "owner", func(string) {})
		require.Equal(t, kind, lcm.KindOf(err), "%v", err)
	}
}
