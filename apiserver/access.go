package apiserver

import (
	"net/http"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
)

// The APIs as scopes name them: with their major version.
var (
	apiLcmV1 = "vnflcm:v1"
	apiLcmV2 = "vnflcm:v2"
	apiPkgV1 = "vnfpkgm:v1"
	apiVimV1 = "vim:v1"
)

// apisOf maps the beginning of a route's path to the APIs that the route belongs to. Windlass's own routes about
// operations belong to both versions of lifecycle management.
var apisOf = []struct {
	prefix string
	apis   []string
}{
	{rest.LcmV1.Prefix + "/", []string{apiLcmV1}},
	{rest.LcmV2.Prefix + "/", []string{apiLcmV2}},
	{rest.PkgV1.Prefix + "/", []string{apiPkgV1}},
	{"/v1.0/vims", []string{apiVimV1}},
	{"/windlass/v1/vims/", []string{apiVimV1}},
	{"/windlass/v1/vnf_", []string{apiLcmV1, apiLcmV2}},
	{"/windlass/v1/events", []string{apiLcmV1, apiLcmV2}},
	{"/windlass/v1/identity", []string{apiLcmV1, apiLcmV2, apiPkgV1, apiVimV1}},
	{"/windlass/v1/dead_letters", []string{apiLcmV1, apiLcmV2}},
	{"/server_notification/", []string{apiLcmV1, apiLcmV2}},
}

// needOf returns the access that a request to a route needs. open is true for routes that everybody may use. path is
// the route's pattern, "" if no route matches: even then, the server must know the client.
func needOf(method, path string) (need auth.Need, open bool) {
	switch {
	case path == "/ui" || strings.HasPrefix(path, "/ui/") || strings.HasPrefix(path, "/windlass/v1/login"): // who will be known
		return need, true
	case path == "/" || path == "/healthz" || path == "/readyz" || path == "/openapi.json" ||
		path == "/docs" || strings.HasPrefix(path, "/docs/"):
		return need, true
	case strings.HasSuffix(path, "/api_versions"): // SOL013 clause 9.3.3: before a client can know how to authenticate
		return need, true
	case method == http.MethodOptions && strings.HasPrefix(path, codecPath): // browsers ask so, without credentials
		return need, true
	case path == "/metrics", strings.HasPrefix(path, codecPath): // of all projects
		return auth.Need{Access: auth.Admin}, false
	}
	need.Access = accessOf(method, path)
	for _, a := range apisOf {
		if strings.HasPrefix(path, a.prefix) {
			need.APIs = a.apis
		}
	}
	if need.Access == auth.Write {
		need.Task = taskOf(method, path)
	}
	return need, false
}

// taskOf names the task of a changing request, for scopes that allow a single task. A task resource gives its own name.
// Other requests give "create", "modify" or "delete", followed by the kind of resource; the API's main resource has no
// such suffix.
func taskOf(method, path string) string {
	parts := strings.Split(strings.TrimSuffix(path, ".json"), "/")
	last := parts[len(parts)-1]
	if isParameter(last) {
		last = parts[len(parts)-2]
	} else if !strings.HasSuffix(last, "s") { // no list
		if last == "package_content" || last == "upload_from_uri" {
			return "upload"
		}
		return last
	}
	verb := map[string]string{
		http.MethodPost: "create", http.MethodPut: "modify", http.MethodPatch: "modify", http.MethodDelete: "delete",
	}[method]
	switch last {
	case "vnf_instances", "vnf_packages", "vims":
		return verb
	default:
		return verb + "_" + strings.TrimSuffix(last, "s")
	}
}

// isParameter tells whether a part of a pattern is a parameter, in the syntax of the router or of the API's
// description.
func isParameter(part string) bool {
	return strings.HasPrefix(part, ":") || strings.HasPrefix(part, "{")
}

// needOf is the function needOf, after the server's settings are applied.
func (s *Server) needOf(method, path string) (need auth.Need, open bool) {
	need, open = needOf(method, path)
	return need, open || path == "/metrics" && s.API.Metrics != config.MetricsAdmin
}

func accessOf(method, path string) auth.Access {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return auth.Read
	}
	if strings.HasPrefix(path, "/windlass/v1/") && strings.HasSuffix(path, "/plan") {
		return auth.Read // a POST that changes nothing
	}
	return auth.Write
}
