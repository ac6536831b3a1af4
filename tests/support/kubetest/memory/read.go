package memory

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

func (q *request) notFound() error {
	return errors.NewNotFound(q.kind.resource().GroupResource(), q.name)
}

// find returns the object that the request names.
func (s *Server) find(q *request) (*unstructured.Unstructured, error) {
	o := s.get(q.kind, q.namespace, q.name)
	if o == nil {
		return nil, q.notFound()
	}
	return o, nil
}

func (s *Server) read(q *request) (any, error) {
	if q.name != "" {
		return s.find(q)
	}
	_, selected, err := q.selection()
	if err != nil {
		return nil, err
	}
	list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{}}
	list.SetGroupVersionKind(q.kind.GroupVersion().WithKind(q.kind.Kind + "List"))
	list.SetResourceVersion(strconv.FormatInt(s.revision, 10))
	for _, o := range s.list(q.kind, q.namespace) {
		if selected(o) {
			list.Items = append(list.Items, *o)
		}
	}
	return list, nil
}

// selection reads from a list, a watch or a deletion of many objects which objects it selects.
func (q *request) selection() (o metav1.ListOptions, is func(*unstructured.Unstructured) bool, err error) {
	values := q.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_ListOptions(&values, &o, nil); err != nil {
		return o, nil, errors.NewBadRequest(err.Error())
	}
	byLabel, err := labels.Parse(o.LabelSelector)
	if err != nil {
		return o, nil, errors.NewBadRequest(err.Error())
	}
	byField, err := fields.ParseSelector(o.FieldSelector)
	if err != nil {
		return o, nil, errors.NewBadRequest(err.Error())
	}
	return o, func(u *unstructured.Unstructured) bool {
		return (q.namespace == "" || u.GetNamespace() == q.namespace) && (q.name == "" || u.GetName() == q.name) &&
			byLabel.Matches(labels.Set(u.GetLabels())) && byField.Matches(fieldsOf{u})
	}, nil
}

// fieldsOf lets field selectors use any text field of an object.
type fieldsOf struct{ *unstructured.Unstructured }

func (f fieldsOf) Has(string) bool { return true }

func (f fieldsOf) Get(path string) string {
	text, _, _ := unstructured.NestedString(f.Object, strings.Split(path, ".")...)
	return text
}

// watch sends changes until the client or the server ends.
func (s *Server) watch(w http.ResponseWriter, q *request) {
	o, selected, err := q.selection()
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	tell := func(what watch.EventType, of *unstructured.Unstructured) {
		_ = json.NewEncoder(w).Encode(map[string]any{"type": what, "object": of.Object})
	}
	s.mu.Lock()
	from, _ := strconv.ParseInt(o.ResourceVersion, 10, 64)
	first := o.SendInitialEvents != nil && *o.SendInitialEvents
	if first || from == 0 {
		for _, have := range s.list(q.kind, q.namespace) {
			if selected(have) {
				tell(watch.Added, have)
			}
		}
		from = s.revision
	}
	s.mu.Unlock()
	if first && o.AllowWatchBookmarks {
		end := q.kind.nothing()
		end.SetResourceVersion(strconv.FormatInt(from, 10))
		end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		tell(watch.Bookmark, end)
	}
	for {
		http.NewResponseController(w).Flush() //nolint:errcheck // who has gone is seen below
		s.mu.Lock()
		since, more := s.changes[from:], s.changed // each revision has one change
		from = s.revision
		s.mu.Unlock()
		for _, c := range since {
			if c.resource != q.kind.resource() {
				continue
			}
			if what, of := c.seen(selected); what != "" {
				tell(what, of)
			}
		}
		if len(since) > 0 {
			continue
		}
		select {
		case <-more:
		case <-q.Context().Done():
			return
		case <-s.ended:
			return
		}
	}
}

// log reads from the kubelet of a Pod's node what a container has written.
func (s *Server) log(w http.ResponseWriter, q *request) {
	s.mu.Lock()
	pod, err := s.find(q)
	var node corev1.Node
	if err == nil {
		name, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
		if of := s.get(s.named("Node"), "", name); of != nil {
			read(of, &node)
		}
	}
	s.mu.Unlock()
	if err != nil || len(node.Status.Addresses) == 0 {
		refuse(w, q.notFound())
		return
	}
	unverified := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // as API servers do
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: unverified}}
	defer client.CloseIdleConnections()
	url := fmt.Sprintf("https://%s:%d/containerLogs/%s/%s/%s", node.Status.Addresses[0].Address,
		node.Status.DaemonEndpoints.KubeletEndpoint.Port, q.namespace, q.name, q.URL.Query().Get("container"))
	ask, err := http.NewRequestWithContext(q.Context(), http.MethodGet, url, nil)
	if err != nil {
		refuse(w, err)
		return
	}
	said, err := client.Do(ask)
	if err != nil {
		refuse(w, errors.NewInternalError(err))
		return
	}
	defer said.Body.Close()
	_, _ = io.Copy(w, said.Body)
}
