package testbed

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// Proxy forwards requests to another server. A server of Go closes the body of a request when it begins the answer. The
// forwarding side may then still look for the body's end: it breaks its connection off, and the answer with it. So the
// body stays open here until the answer has ended.
func Proxy(to *url.URL) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(to)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 is so by itself, and says that it cannot be told
		proxy.ServeHTTP(w, r)
	})
}
