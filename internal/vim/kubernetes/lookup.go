package kubernetes

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

const (
	// mostLookedUp limits the answers to the lookups of a release, in bytes, and longestLookup their time.
	mostLookedUp  = 8 << 20
	longestLookup = 30 * time.Second
)

// lookerIn makes the answers to the lookups of a release in a namespace.
type lookerIn func(namespace string) charts.Looker

// target is the cluster for a chart.
type target struct {
	charts.Capabilities
	lookerIn lookerIn // nil: templates find nothing
}

func (t target) looker(namespace string) charts.Looker {
	if t.lookerIn == nil {
		return nil
	}
	return t.lookerIn(namespace)
}

// lookerIn answers lookups of a release's templates: with them charts find the passwords that they have generated.
// Templates only see objects of the namespace, whose Secrets their Pods could read as well. All answers together have
// one budget. The lookups of a release share its time, too.
func (c *Connection) lookerIn(namespace string) charts.Looker {
	budget := outbound.NewBudget(mostLookedUp, outbound.MaxPages)
	since := time.Now()
	left := longestLookup
	return func(ctx context.Context, about charts.Lookup) (charts.Found, error) {
		ctx, done := context.WithTimeoutCause(budget.In(ctx), left, errSlowLookup)
		defer done()
		began := time.Now()
		defer func() { left -= time.Since(began) }()
		mapping, verbs, err := c.kindOf(ctx, schema.FromAPIVersionAndKind(about.APIVersion, about.Kind), since)
		switch {
		case meta.IsNoMatchError(err):
			return charts.Found{}, nil // Helm fails here, so charts ask only for kinds that they know to be there
		case err != nil:
			return charts.Found{}, notLookedUp(ctx, about, err)
		case mapping.Scope.Name() != meta.RESTScopeNameNamespace:
			return charts.Found{}, nil
		}
		found, err := lookUp(ctx, c.at(mapping, namespace), about, verbs)
		if err != nil && !errors.IsNotFound(err) {
			return charts.Found{}, notLookedUp(ctx, about, err)
		}
		return found, nil
	}
}

var errSlowLookup = lcm.Errorf(lcm.KindUnavailable, "The VIM did not answer the lookups of a chart within %s.", longestLookup)

func notLookedUp(ctx context.Context, about charts.Lookup, err error) error {
	if cause, ok := context.Cause(ctx).(*lcm.Error); ok { //nolint:errorlint // ours, or that of the whole deployment
		return cause
	}
	what := about.Kind
	if about.Name != "" {
		what += " " + about.Name
	}
	return translate("look up "+what+" for a chart", err)
}

// lookUp reads an object, or all objects of a kind.
func lookUp(
	ctx context.Context, in dynamic.ResourceInterface, about charts.Lookup, verbs []string,
) (found charts.Found, err error) {
	if about.Name != "" {
		if found.Object, err = in.Get(ctx, about.Name, metav1.GetOptions{}); err == nil {
			found.Secrets = SecretsOf([]unstructured.Unstructured{*found.Object})
		}
		return found, err
	}
	if !slices.Contains(verbs, "list") {
		return found, nil
	}
	page := metav1.ListOptions{Limit: objectsAtOnce}
	for {
		list, err := in.List(ctx, page)
		if err != nil {
			return charts.Found{}, err
		}
		if found.List != nil {
			list.Items = append(found.List.Items, list.Items...)
		}
		found.List, page.Continue = list, list.GetContinue()
		if page.Continue == "" {
			list.SetContinue("")
			list.SetRemainingItemCount(nil)
			found.Secrets = SecretsOf(list.Items)
			return found, nil
		}
	}
}
