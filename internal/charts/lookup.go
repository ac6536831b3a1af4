package charts

import (
	"context"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic" //nolint:depguard // Helm's engine wants its interfaces; nothing here connects

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Lookup is a question of the template function lookup about the namespace of the release. Without a name it asks for
// all objects of the kind.
type Lookup struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name,omitempty"`
}

// Found is the cluster's answer to a Lookup. Without any member it says that there is nothing.
type Found struct {
	Object *unstructured.Unstructured     `json:"object,omitempty"`
	List   *unstructured.UnstructuredList `json:"list,omitempty"`
	// Secrets are texts in the answer that no message may show.
	Secrets []string `json:"secrets,omitempty"`
}

// Looker asks the cluster. Its errors end the rendering.
type Looker func(ctx context.Context, about Lookup) (Found, error)

// answered is a Lookup with its answer.
type answered struct {
	Lookup Lookup `json:"lookup"`
	Found  Found  `json:"found"`
}

const (
	// mostStages bounds how often templates may look up objects that depend on the objects before: each time the chart
	// is rendered again.
	mostStages = 3
	// mostLookups bounds the questions of a release.
	mostLookups = 100
	// longestName is longer than any name of an object or of a kind.
	longestName = 300
)

// answers are the answers that a release has. Templates ask in a process that reaches no cluster. So the chart is
// rendered, its open questions are asked here, and it is rendered again with the answers.
type answers []answered

// ask asks the open questions.
func (a answers) ask(ctx context.Context, release string, open []Lookup, look Looker) (answers, error) {
	if len(a)+len(open) > mostLookups {
		return a, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s looks up more than %d objects of the cluster.",
			release, mostLookups)
	}
	for _, about := range open {
		found, err := look(ctx, about)
		if err != nil {
			return a, err
		}
		a = append(a, answered{about, found})
	}
	return a, nil
}

// secrets are the texts that no message may show.
func (a answers) secrets() (out []string) {
	for _, one := range a {
		out = append(out, one.Found.Secrets...)
	}
	return out
}

// hidden replaces the secrets in a message about the chart.
func (a answers) hidden(text string) string {
	all := a.secrets()
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
	for _, secret := range all {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}

// lookups stands in for a client of the cluster: it knows the answers, and notes the questions without an answer. It
// implements engine.ClientProvider.
type lookups struct {
	namespace string
	known     answers
	open      []Lookup
}

var _ engine.ClientProvider = (*lookups)(nil)

// GetClientFor implements engine.ClientProvider.
func (l *lookups) GetClientFor(apiVersion, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	return &kindLookup{of: l, kind: Lookup{APIVersion: apiVersion, Kind: kind}}, true, nil
}

// kindLookup implements what the function lookup calls of a client. It finds nothing outside the release's namespace.
type kindLookup struct {
	dynamic.NamespaceableResourceInterface

	of   *lookups
	kind Lookup
	in   string
}

// Namespace implements dynamic.NamespaceableResourceInterface.
func (k *kindLookup) Namespace(name string) dynamic.ResourceInterface {
	return &kindLookup{of: k.of, kind: k.kind, in: name}
}

// Get implements dynamic.ResourceInterface.
func (k *kindLookup) Get(
	_ context.Context, name string, _ metav1.GetOptions, _ ...string,
) (*unstructured.Unstructured, error) {
	about := k.kind
	about.Name = name
	if found := k.find(about); found.Object != nil {
		return found.Object.DeepCopy(), nil
	}
	return nil, errors.NewNotFound(schema.GroupResource{Resource: k.kind.Kind}, name)
}

// List implements dynamic.ResourceInterface.
func (k *kindLookup) List(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	if found := k.find(k.kind); found.List != nil {
		return found.List.DeepCopy(), nil
	}
	return nil, errors.NewNotFound(schema.GroupResource{Resource: k.kind.Kind}, "")
}

func (k *kindLookup) find(about Lookup) Found {
	if k.in == "" || k.in != k.of.namespace || !about.sensible() {
		return Found{}
	}
	at := slices.IndexFunc(k.of.known, func(a answered) bool { return a.Lookup == about })
	if at >= 0 {
		return k.of.known[at].Found
	}
	// One more than allowed is enough for a refusal.
	if !slices.Contains(k.of.open, about) && len(k.of.open) <= mostLookups {
		k.of.open = append(k.of.open, about)
	}
	return Found{}
}

// sensible tells whether there can be an answer.
func (l Lookup) sensible() bool {
	return l.APIVersion != "" && l.Kind != "" && len(l.APIVersion) <= longestName && len(l.Kind) <= longestName &&
		len(l.Name) <= longestName && !strings.ContainsAny(l.Name, "/%?#")
}
