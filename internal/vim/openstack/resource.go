package openstack

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// nestedDepth is the depth of Heat's listing: group, member, and one template inside a member.
const nestedDepth = 4

// resourcesOf lists the resources of a stack and of the stacks below it, in a fixed order.
func (c *Cloud) resourcesOf(ctx context.Context, name, id string) ([]vim.Resource, error) {
	list, err := c.resources(ctx, name, id)
	if err != nil {
		return nil, err
	}
	out := make([]vim.Resource, 0, len(list))
	for _, r := range list {
		holder, holderID := holderOf(r, name, id)
		out = append(out, vim.Resource{
			Kind: kinds[r.Type], Name: r.Name, VimType: r.Type, ID: r.PhysicalID, Part: holderID, PartName: holder,
			Member: r.ParentResource,
			Level:  resourceLevel(r.Status), Status: r.Status, Reason: r.StatusReason, Created: r.CreationTime,
		})
	}
	slices.SortFunc(out, func(a, b vim.Resource) int {
		return strings.Compare(a.Part+a.Name+a.ID, b.Part+b.Name+b.ID)
	})
	return out, nil
}

// holderOf reads the name and the id of the stack that holds a resource from the resource's link.
func holderOf(r stackresources.Resource, topName, topID string) (name, id string) {
	for _, l := range r.Links {
		if u, err := url.Parse(l.Href); l.Rel == "stack" && err == nil {
			parts := strings.Split(u.Path, "/")
			return parts[max(0, len(parts)-2)], parts[len(parts)-1]
		}
	}
	return topName, topID
}

// stackOf returns the id of the stack that holds a resource.
func stackOf(r stackresources.Resource, top string) string {
	_, id := holderOf(r, "", top)
	return id
}

// resource returns a resource of the top stack, with its attributes.
func (c *Cloud) resource(ctx context.Context, name, owner, resource string) (*stackresources.Resource, error) {
	have, err := c.owned(ctx, name, owner)
	if err != nil {
		return nil, err
	}
	r, err := stackresources.Get(ctx, c.heat, have.Name, have.ID, resource).Extract()
	return r, translate("read the resource "+resource, err)
}

// Attributes implements vim.Describer.
func (c *Cloud) Attributes(ctx context.Context, name, owner, resource string) (map[string]any, error) {
	r, err := c.resource(ctx, name, owner, resource)
	if err != nil {
		return nil, err
	}
	return r.Attributes, nil
}
