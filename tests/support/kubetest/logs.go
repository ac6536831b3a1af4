package kubetest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// LastWords is the log of every container that crashes.
const LastWords = "reading /etc/web.conf\npanic: there is no /etc/web.conf"

// serve lets the API server read the logs of containers from the kubelet, until life ends. The status has the kubelet's
// address.
func serve(life context.Context) (status corev1.NodeStatus, err error) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/containerLogs/") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(LastWords + "\n"))
	}))
	context.AfterFunc(life, server.Close)
	at, err := netip.ParseAddrPort(server.Listener.Addr().String())
	if err != nil {
		return status, err
	}
	status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: at.Addr().String()}}
	status.DaemonEndpoints.KubeletEndpoint.Port = int32(at.Port())
	return status, nil
}
