package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	authorization "k8s.io/api/authorization/v1"
	"k8s.io/client-go/discovery"
)

// Need is a right that Windlass needs in the namespace of containerised VNFs.
type Need struct {
	Group     string
	Resources []string
	Verbs     []string
}

var (
	reading  = []string{"get", "list", "watch"}
	changing = []string{"get", "list", "watch", "create", "patch", "delete"}
)

// Needs returns the rights for VNFs of the usual kinds of objects. A VNF may need fewer or more.
func Needs() []Need {
	return []Need{
		{"", []string{"pods", "services", "configmaps", "persistentvolumeclaims", "serviceaccounts"}, changing},
		// Windlass also updates its own records of VNFs and Helm's records of releases.
		{"", []string{"secrets"}, slices.Concat(changing, []string{"update"})},
		{"apps", []string{"deployments", "statefulsets", "daemonsets", "replicasets"}, changing},
		{"batch", []string{"jobs"}, changing},
		{"autoscaling", []string{"horizontalpodautoscalers"}, changing},
		{"", []string{"events"}, reading},
		{"", []string{"pods/log"}, []string{"get"}},
	}
}

// missingRights returns a sentence about the rights in the namespace that VNFs need and the credentials lack; nil if
// they lack none. It is a warning only: VNFs may do with less.
func missingRights(ctx context.Context, client *discovery.DiscoveryClient, namespace string) []string {
	rules, err := rulesOf(ctx, client, namespace)
	if err != nil {
		return []string{"The VIM did not report what the credentials may do in the namespace " + namespace + "."}
	}
	lacks := lacking(rules.ResourceRules)
	if len(lacks) == 0 {
		return nil
	}
	if rules.Incomplete { // an authorizer, such as a webhook, that cannot list its rules
		lacks = append(lacks, "the VIM says that its list is not complete")
	}
	return []string{fmt.Sprintf("The credentials may not do all in the namespace %s that VNFs need: %s.", namespace,
		strings.Join(lacks, "; "))}
}

func rulesOf(
	ctx context.Context, client *discovery.DiscoveryClient, namespace string,
) (authorization.SubjectRulesReviewStatus, error) {
	review := authorization.SelfSubjectRulesReview{Spec: authorization.SelfSubjectRulesReviewSpec{Namespace: namespace}}
	review.APIVersion, review.Kind = authorization.SchemeGroupVersion.String(), "SelfSubjectRulesReview"
	body, err := json.Marshal(review)
	if err != nil {
		return review.Status, err
	}
	raw, err := client.RESTClient().Post().AbsPath("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews").
		SetHeader("Content-Type", "application/json").Body(body).MaxRetries(0).Do(ctx).Raw()
	if err != nil {
		return review.Status, err
	}
	err = json.Unmarshal(raw, &review)
	return review.Status, err
}

// lacking lists the verbs that are missing, such as "create and delete on pods, services"; resources that lack the same
// stand together.
func lacking(rules []authorization.ResourceRule) (out []string) {
	var order []string
	by := map[string][]string{}
	for _, n := range Needs() {
		for _, resource := range n.Resources {
			missing := slices.DeleteFunc(slices.Clone(n.Verbs), func(verb string) bool {
				return slices.ContainsFunc(rules, func(r authorization.ResourceRule) bool {
					return allows(r, n.Group, resource, verb)
				})
			})
			verbs := strings.Join(missing, ", ")
			if verbs == "" {
				continue
			}
			if by[verbs] == nil {
				order = append(order, verbs)
			}
			by[verbs] = append(by[verbs], resource)
		}
	}
	for _, verbs := range order {
		out = append(out, verbs+" on "+strings.Join(by[verbs], ", "))
	}
	return out
}

// allows reports whether a rule permits the verb on every object of the resource.
func allows(r authorization.ResourceRule, group, resource, verb string) bool {
	has := func(list []string, name string) bool {
		return slices.Contains(list, name) || slices.Contains(list, "*")
	}
	_, part, isPart := strings.Cut(resource, "/")
	named := has(r.Resources, resource) || isPart && slices.Contains(r.Resources, "*/"+part)
	return len(r.ResourceNames) == 0 && named && has(r.APIGroups, group) && has(r.Verbs, verb)
}
