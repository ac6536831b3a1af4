package openstack

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"
)

// nestedDepth is how deep Heat looks: group, member, and one template inside a member.
const nestedDepth = 4

// Resource is one resource of a stack or of a stack nested in it.
type Resource struct {
	Name       string
	Type       string
	PhysicalID string
	// StackID is the stack that holds the resource, which may be a nested one, and StackName is its name.
	StackID, StackName string
	// Parent is the name of the group's member that the nested stack is, "" in the top stack.
	Parent string
	// Status is Heat's, like CREATE_COMPLETE, and Reason its sentence for it.
	Status, Reason string
	Created        time.Time
}

// Unhealthy tells that the resource has failed or was marked so: the next update of the stack replaces it.
func (r Resource) Unhealthy() bool { return strings.HasSuffix(r.Status, "_FAILED") }

// resourcesOf lists what a stack and the stacks below it consist of, in a fixed order.
func (c *Cloud) resourcesOf(ctx context.Context, name, id string) ([]Resource, error) {
	list, err := c.resources(ctx, name, id)
	if err != nil {
		return nil, err
	}
	out := make([]Resource, 0, len(list))
	for _, r := range list {
		holder, holderID := holderOf(r, name, id)
		out = append(out, Resource{
			Name: r.Name, Type: r.Type, PhysicalID: r.PhysicalID, StackID: holderID, StackName: holder, Parent: r.ParentResource,
			Status: r.Status, Reason: r.StatusReason, Created: r.CreationTime,
		})
	}
	slices.SortFunc(out, func(a, b Resource) int {
		return strings.Compare(a.StackID+a.Name+a.PhysicalID, b.StackID+b.Name+b.PhysicalID)
	})
	return out, nil
}

// holderOf reads the name and the id of the stack that holds a resource from the link that Heat gives.
func holderOf(r stackresources.Resource, topName, topID string) (name, id string) {
	for _, l := range r.Links {
		if u, err := url.Parse(l.Href); l.Rel == "stack" && err == nil {
			parts := strings.Split(u.Path, "/")
			return parts[max(0, len(parts)-2)], parts[len(parts)-1]
		}
	}
	return topName, topID
}

// stackOf is the id of the stack that holds a resource.
func stackOf(r stackresources.Resource, top string) string {
	_, id := holderOf(r, "", top)
	return id
}
