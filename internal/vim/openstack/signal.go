package openstack

import (
	"context"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// AlarmURL returns the URL that signals a scaling policy (or another resource with such a URL) in the top stack. It is
// a secret: anybody who has it can send the signal.
func (c *Cloud) AlarmURL(ctx context.Context, name, owner, resource string) (string, error) {
	r, err := c.resource(ctx, name, owner, resource)
	if err != nil {
		return "", err
	}
	address := text(r.Attributes, "alarm_url")
	if address == "" {
		return "", lcm.Errorf(lcm.KindInvalid, "The resource %s of stack %s is a %s: it has no alarm_url.", resource, name,
			r.Type)
	}
	return address, nil
}

// Signal signals a scaling policy of the top stack. Heat answers before it scales, and does not say whether it will: a
// policy in its cooldown, or a group that is at its limit or changing, does nothing.
func (c *Cloud) Signal(ctx context.Context, name, owner, resource string) error {
	have, err := c.owned(ctx, name, owner)
	if err != nil {
		return err
	}
	return post(ctx, c.provider, "signal "+resource,
		c.heat.ServiceURL("stacks", have.Name, have.ID, "resources", resource, "signal"))
}

// SignalAlarm sends the signal to an alarm URL, which needs no token.
func (c *Cloud) SignalAlarm(ctx context.Context, address string) error {
	if !strings.HasPrefix(address, "http") {
		return lcm.Errorf(lcm.KindInvalid, "The address to signal at is no URL.")
	}
	return post(ctx, &gophercloud.ProviderClient{HTTPClient: c.provider.HTTPClient}, "signal at an alarm URL", address)
}

func post(ctx context.Context, client *gophercloud.ProviderClient, doing, address string) error {
	opts := &gophercloud.RequestOpts{OkCodes: []int{
		http.StatusOK, http.StatusCreated, http.StatusAccepted,
		http.StatusNoContent,
	}}
	_, err := client.Request(ctx, http.MethodPost, address, opts) //nolint:bodyclose // gophercloud closes what nobody reads
	return translate(doing, err)
}
