package openstack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

// object is a JSON object in an answer.
type object = map[string]any

// service is one of the cloud's APIs.
type service struct {
	name   string // the name in faults: keystone, nova ...
	prefix string
	// shape makes the body of an error answer; every service has its own format.
	shape func(e *apiError) any
}

var (
	keystone = &service{"keystone", "/identity", func(e *apiError) any {
		return object{"error": object{"code": e.code, "message": e.message, "title": http.StatusText(e.code)}}
	}}
	nova    = &service{"nova", "/compute", novaError}
	cinder  = &service{"cinder", "/volume", novaError}
	neutron = &service{"neutron", "/networking", func(e *apiError) any {
		return object{"NeutronError": object{"type": e.kind, "message": e.message, "detail": ""}}
	}}
	glance = &service{"glance", "/image", func(e *apiError) any {
		return object{
			"message": e.message, "code": fmt.Sprintf("%d %s", e.code, http.StatusText(e.code)),
			"title": http.StatusText(e.code),
		}
	}}
	octavia = &service{"octavia", "/load-balancer", func(e *apiError) any {
		return object{"faultcode": "Client", "faultstring": e.message, "debuginfo": nil}
	}}
	heat = &service{"heat", "/heat-api", heatError}
	cfn  = &service{"heat-cfn", "/heat-cfn", heatError}
	lab  = &service{"lab", "/lab", func(e *apiError) any { return object{"error": e.message} }}
)

var services = []*service{keystone, nova, cinder, neutron, glance, octavia, heat, cfn, lab}

// novaErrors are the keys of error bodies in Nova and Cinder.
var novaErrors = map[int]string{
	400: "badRequest", 401: "unauthorized", 403: "forbidden", 404: "itemNotFound", 409: "conflictingRequest",
	413: "overLimit", 500: "computeFault", 501: "notImplemented", 503: "serviceUnavailable",
}

func novaError(e *apiError) any {
	name, ok := novaErrors[e.code]
	if !ok {
		name = "computeFault"
	}
	body := object{"code": e.code, "message": e.message}
	if e.code == http.StatusRequestEntityTooLarge {
		body["retryAfter"] = "0"
	}
	return object{name: body}
}

var heatExplanations = map[int]string{
	400: "The server could not comply with the request since it is either malformed or otherwise incorrect.",
	403: "Access was denied to this resource.",
	404: "The resource could not be found.",
	409: "There was a conflict when trying to complete your request.",
}

func heatError(e *apiError) any {
	explanation, ok := heatExplanations[e.code]
	if !ok {
		explanation = e.message
	}
	return object{
		"code": e.code, "title": http.StatusText(e.code), "explanation": explanation,
		"error": object{"message": e.message, "type": e.kind, "traceback": nil},
	}
}

// apiError is an error answer: kind is the service's name for it.
type apiError struct {
	code    int
	kind    string
	message string
}

func (e *apiError) Error() string { return e.message }

func fail(code int, kind, format string, args ...any) *apiError {
	return &apiError{code: code, kind: kind, message: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *apiError {
	return fail(http.StatusBadRequest, "BadRequest", format, args...)
}

func notFound(kind, format string, args ...any) *apiError {
	return fail(http.StatusNotFound, kind, format, args...)
}

func conflict(kind, format string, args ...any) *apiError {
	return fail(http.StatusConflict, kind, format, args...)
}

// request is one call with its token, or nil for a call that needs none.
type request struct {
	*http.Request
	w     http.ResponseWriter
	token *Token
	body  []byte
}

// project is the project that the token is scoped to.
func (r *request) project() string {
	if r.token == nil {
		return ""
	}
	return r.token.ProjectID
}

// sees reports whether the caller may see a project's objects.
func (r *request) sees(project string) bool { return r.token.Admin() || r.token.ProjectID == project }

// lists reports whether a listing includes a project's objects: those of the caller's project or, if an administrator
// asks for all, of every project.
func (r *request) lists(project string) bool {
	if r.token.ProjectID == project {
		return true
	}
	q := r.URL.Query()
	return r.token.Admin() && (q.Has("all_tenants") || q.Has("all_projects") || q.Has("project_id") || q.Has("tenant_id"))
}

// decode reads the body's member key, or the whole body for "".
func (r *request) decode(key string, into any) error {
	raw := json.RawMessage(r.body)
	if key != "" {
		var envelope map[string]json.RawMessage
		if err := json.Unmarshal(r.body, &envelope); err != nil {
			return badRequest("Malformed request body")
		}
		if raw = envelope[key]; raw == nil {
			return badRequest("Invalid input: %q is a required property", key)
		}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return badRequest("Invalid input for %s: %v", key, err)
	}
	return nil
}

// reply is an answer.
type reply struct {
	status int
	body   any // nil for none
	header map[string]string
}

func ok(body any) (reply, error)       { return reply{status: http.StatusOK, body: body}, nil }
func created(body any) (reply, error)  { return reply{status: http.StatusCreated, body: body}, nil }
func accepted(body any) (reply, error) { return reply{status: http.StatusAccepted, body: body}, nil }
func noContent() (reply, error)        { return reply{status: http.StatusNoContent}, nil }

type handler func(r *request) (reply, error)

// router registers handlers, and wraps each in its service's checks.
type router struct {
	c   *Cloud
	mux *http.ServeMux
}

// open registers a handler that needs no token; pattern is like "GET /v3".
func (rt *router) open(s *service, pattern string, h handler) {
	method, path, _ := strings.Cut(pattern, " ")
	rt.mux.Handle(method+" "+s.prefix+path, rt.c.serve(s, h))
}

// roots registers a handler that needs no token at several paths.
func (rt *router) roots(s *service, h handler, paths ...string) {
	for _, path := range paths {
		rt.open(s, "GET "+path, h)
	}
}

// on registers a handler that needs a token scoped to a project.
func (rt *router) on(s *service, pattern string, h handler) {
	rt.open(s, pattern, func(r *request) (reply, error) {
		token, err := rt.c.authenticate(r.Header.Get("X-Auth-Token"))
		if err != nil {
			return reply{}, err
		}
		if s != keystone && token.ProjectID == "" {
			return reply{}, fail(http.StatusForbidden, "Forbidden", "The token is not scoped to a project.")
		}
		if p := r.PathValue("project"); p != "" && p != token.ProjectID && !token.Admin() {
			return reply{}, fail(http.StatusForbidden, "Forbidden", "You are not authorized to use the project %s.", p)
		}
		r.token = &token
		return h(r)
	})
}

// maxBody is far larger than every request except an image.
const maxBody = 64 << 20

func (c *Cloud) serve(s *service, h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		id := "req-" + uuid.NewString()
		w.Header().Set("X-Openstack-Request-Id", id)
		if s == nova {
			w.Header().Set("X-Compute-Request-Id", id)
			c.microversion(w, req)
		}
		r := &request{Request: req, w: w}
		out, err := reply{}, error(nil)
		if !strings.HasSuffix(req.URL.Path, "/file") {
			r.body, err = io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
		}
		if err == nil && s != lab { // after the body: only then does net/http notice that a client has gone
			err = c.faults.request(req.Context(), s, req.Method, req.URL.Path)
		}
		if err == nil {
			out, err = h(r)
		}
		c.answer(s, w, out, err)
	})
}

func (c *Cloud) answer(s *service, w http.ResponseWriter, out reply, err error) {
	if errors.Is(err, errDrop) {
		panic(http.ErrAbortHandler) // net/http closes the connection without an answer
	}
	if err != nil {
		if e, is := errors.AsType[*hot.Error](err); is {
			err = heatFailure(e)
		}
		e, known := errors.AsType[*apiError](err)
		if !known {
			c.log.Error("request failed", "service", s.name, "error", err.Error())
			e = fail(http.StatusInternalServerError, "InternalServerError", "Unexpected API Error: %v", err)
		}
		if e.code == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Keystone uri=%q", c.cfg.Endpoint+"/identity"))
		}
		out = reply{status: e.code, body: s.shape(e)}
	}
	for k, v := range out.header {
		w.Header().Set(k, v)
	}
	if out.body == nil {
		w.WriteHeader(out.status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(out.status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(out.body) // an error means that the client has gone
}
