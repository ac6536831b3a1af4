package openstack

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// failure finds the resource that made the stack fail: Heat's own reason names only the outermost resource.
func (c *Cloud) failure(ctx context.Context, name, id, status, outermost string) error {
	reason := outermost
	if cause := c.cause(ctx, name, id); cause != "" {
		reason = cause
	}
	kind, advice := kindOfReason(reason), "Mend the cause, then retry."
	if exhausted(outermost) || kind == lcm.KindExhausted {
		kind, advice = lcm.KindExhausted, "Make room in the cloud or raise the quota, then retry."
	}
	if kind == lcm.KindInvalid {
		advice = "If the request or the package names it, roll back and correct the request or the package; " +
			"otherwise mend the cause, then retry."
	}
	return &lcm.Error{
		Kind: kind, Op: "follow stack " + name,
		Detail: fmt.Sprintf("Heat ended the stack %s in %s: %s. %s", name, status, strings.TrimSuffix(reason, "."), advice),
	}
}

// kindOfReason reads the kind of a failure from a status reason, which begins with the class of Heat's exception.
func kindOfReason(reason string) lcm.ErrorKind {
	switch {
	case exhausted(reason):
		return lcm.KindExhausted
	case invalidReason(reason):
		return lcm.KindInvalid
	default:
		return lcm.KindBroken
	}
}

func invalidReason(reason string) bool {
	for _, words := range []string{
		"StackValidationFailed", "PropertyValidation", "could not be found", "NotFound:",
		"BadRequest:", "Property error",
	} {
		if strings.Contains(reason, words) {
			return true
		}
	}
	return false
}

// cause describes the first failed resource, in any nested stack.
func (c *Cloud) cause(ctx context.Context, name, id string) string {
	list, err := c.resources(ctx, name, id)
	if err != nil {
		return ""
	}
	failed := slices.DeleteFunc(slices.Clone(list), func(r stackresources.Resource) bool {
		return !strings.HasSuffix(r.Status, "_FAILED") || r.Status == "CHECK_FAILED" || r.StatusReason == "" ||
			gaveUp(r.StatusReason)
	})
	var leaves []stackresources.Resource
	for _, r := range failed {
		if !slices.ContainsFunc(failed,
			func(inner stackresources.Resource) bool { return stackOf(inner, id) == r.PhysicalID }) {
			leaves = append(leaves, r)
		}
	}
	slices.SortStableFunc(leaves, func(a, b stackresources.Resource) int { return a.UpdatedTime.Compare(b.UpdatedTime) })
	if len(leaves) == 0 {
		return ""
	}
	first := leaves[0]
	more := ""
	if n := len(leaves) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("%s (%s): %s%s", first.Name, first.Type, strings.TrimSuffix(first.StatusReason, "."), more)
}

// gaveUp recognises Heat's message for a resource that it gave up because another one failed.
func gaveUp(reason string) bool {
	return strings.HasSuffix(reason, "aborted") || strings.Contains(reason, "aborted (")
}

// resources lists the resources of a stack and of all stacks below it, with one call.
func (c *Cloud) resources(ctx context.Context, name, id string) ([]stackresources.Resource, error) {
	var answer struct {
		Resources []stackresources.Resource `json:"resources"`
	}
	query := url.Values{"nested_depth": {strconv.Itoa(nestedDepth)}}
	err := c.read(ctx, c.heat, &answer, query, "stacks", name, id, "resources")
	return answer.Resources, translate("list the resources of stack "+name, err)
}
