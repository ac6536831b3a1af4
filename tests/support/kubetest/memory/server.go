// Package memory is an API server of Kubernetes in this process, with the controllers that VNFs need. It needs neither
// root nor other programs. It validates and defaults very little, so only tests with the real API server show what that
// one would refuse.
package memory

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// Server is the API server.
type Server struct {
	// URL and CA are the values for its clients.
	URL, CA string

	tokens []string
	http   *httptest.Server
	ended  chan struct{}
	works  sync.WaitGroup

	mu sync.Mutex // for all fields below
	store
}

// Start runs an API server on loopback until it is closed. It accepts these tokens, and treats their bearers the same.
func Start(tokens ...string) *Server {
	s := &Server{tokens: tokens, ended: make(chan struct{}), store: newStore()}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.http.EnableHTTP2 = true
	s.http.StartTLS()
	s.URL = s.http.URL
	s.CA = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw}))
	s.make("Namespace", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	s.works.Go(s.control)
	return s
}

// Close ends the server.
func (s *Server) Close() {
	close(s.ended)
	s.http.CloseClientConnections()
	s.http.Close()
	s.works.Wait()
}

// request is a request about objects of a kind.
type request struct {
	*http.Request
	kind                 *kind
	namespace, name, sub string
	body                 []byte
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case r.URL.Path == "/readyz":
		_, _ = io.WriteString(w, "ok")
	case r.URL.Path == "/version":
		answer(w, http.StatusOK, map[string]string{"major": "1", "minor": "34", "gitVersion": "v1.34.0-memory"})
	case !slices.Contains(s.tokens, token):
		refuse(w, errors.NewUnauthorized("nobody has this token"))
	default:
		s.serveAPI(w, r)
	}
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has closed the connection
	}
	q := &request{Request: r, body: body}
	s.mu.Lock()
	found := s.discover(r.URL.Path)
	if found == nil {
		q.locate(&s.store)
	}
	s.mu.Unlock()
	switch {
	case found != nil:
		answer(w, http.StatusOK, found)
	case q.kind == nil:
		refuse(w, errors.NewGenericServerResponse(http.StatusNotFound, r.Method, schema.GroupResource{}, "",
			"the server could not find the requested resource", 0, true))
	case q.sub == "log":
		s.log(w, q)
	case r.Method == http.MethodGet && r.URL.Query().Get("watch") != "":
		s.watch(w, q)
	default:
		s.do(w, q)
	}
}

// locate parses the path: /api/v1 or /apis/GROUP/VERSION, then [/namespaces/NAMESPACE]/RESOURCE[/NAME[/SUBRESOURCE]].
func (q *request) locate(s *store) {
	parts := strings.Split(strings.Trim(q.URL.Path, "/"), "/")
	var group schema.GroupVersion
	switch {
	case len(parts) > 2 && parts[0] == "api":
		group.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		group.Group, group.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return
	}
	if len(parts) > 2 && parts[0] == "namespaces" && s.kindOf(group.WithResource(parts[2])) != nil {
		q.namespace, parts = parts[1], parts[2:]
	}
	q.kind = s.kindOf(group.WithResource(parts[0]))
	parts = append(parts, "", "")
	q.name, q.sub = parts[1], parts[2]
}

// do carries out the requests that are not streams.
func (s *Server) do(w http.ResponseWriter, q *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out any
	var err error
	code := http.StatusOK
	switch q.Method {
	case http.MethodGet:
		out, err = s.read(q)
	case http.MethodPost:
		code = http.StatusCreated
		out, err = s.create(q)
	case http.MethodPut:
		out, err = s.update(q)
	case http.MethodPatch:
		out, err = s.patch(q)
	case http.MethodDelete:
		out, err = s.remove(q)
	default:
		err = errors.NewMethodNotSupported(q.kind.resource().GroupResource(), q.Method)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, code, out)
}

// object decodes the body.
func (q *request) object() (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{}
	var err error
	if strings.Contains(q.Header.Get("Content-Type"), "protobuf") {
		var typed runtime.Object
		if typed, _, err = scheme.Codecs.UniversalDeserializer().Decode(q.body, nil, nil); err == nil {
			o.Object = plain(typed)
		}
	} else {
		var doc []byte
		if doc, err = yaml.ToJSON(q.body); err == nil {
			err = o.UnmarshalJSON(doc)
		}
	}
	if err != nil {
		return nil, errors.NewBadRequest(err.Error())
	}
	switch {
	case q.sub == "" && o.GetKind() != q.kind.Kind:
		return nil, errors.NewBadRequest("the object is a " + o.GetKind() + ", and no " + q.kind.Kind)
	case q.name != "" && o.GetName() != "" && q.name != o.GetName():
		return nil, errors.NewBadRequest("the object has another name than the request")
	case o.GetNamespace() != "" && o.GetNamespace() != q.namespace:
		return nil, errors.NewBadRequest("the object has another namespace than the request")
	}
	o.SetNamespace(q.namespace)
	return o, nil
}

func answer(w http.ResponseWriter, code int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(what)
}

func refuse(w http.ResponseWriter, err error) {
	status, ok := err.(errors.APIStatus) //nolint:errorlint // all that is said to clients is made here
	if !ok {
		status = errors.NewBadRequest(err.Error())
	}
	told := status.Status()
	told.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	answer(w, int(told.Code), told)
}
