package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newSubscription(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use: "subscription", Aliases: []string{"subscriptions"},
		Short: "Show subscriptions to notifications, and deliver again what subscribers have missed",
	}
	cmd.AddCommand(newSubscriptionList(c), newSubscriptionShow(c), newSubscriptionDelete(c), newDeadLetters(c),
		newRedeliver(c))
	return cmd
}

// subscription is the part of a subscription that tables show, of either API.
type subscription struct {
	ID          string          `json:"id"`
	CallbackURI string          `json:"callbackUri"`
	Verbosity   string          `json:"verbosity"`
	Filter      json.RawMessage `json:"filter"`
	Links       struct {
		Self struct {
			Href string `json:"href"`
		} `json:"self"`
	} `json:"_links"`
}

// api is the API of the subscription with its version, such as "vnflcm/v1".
func (s subscription) api() string {
	for _, root := range subscriptionRoots {
		if strings.Contains(s.Links.Self.Href, root+"/subscriptions/") {
			return strings.TrimPrefix(root, "/")
		}
	}
	return ""
}

// notifications are the kinds of notifications that the subscriber gets.
func (s subscription) notifications() string {
	var filter struct {
		Types []string `json:"notificationTypes"`
	}
	if json.Unmarshal(s.Filter, &filter) != nil || len(filter.Types) == 0 {
		return "all"
	}
	return strings.Join(filter.Types, ",")
}

// subscriptionRoots are the APIs that have subscriptions: each has its own, and so has each version.
var subscriptionRoots = []string{"/vnflcm/v1", "/vnflcm/v2", "/vnfpkgm/v1"}

// of is the client for an API: it sends that version of the lifecycle API.
func (c *apiClient) of(root string) *apiClient {
	if root == "/vnflcm/v2" {
		return c.ofVersion(2)
	}
	return c.ofVersion(1)
}

// listSubscriptions reads the subscriptions of all APIs. It passes over an API that the client may not read, unless it
// may read none.
func (c *cli) listSubscriptions(ctx context.Context) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	var refused []error
	for _, root := range subscriptionRoots {
		found, err := list[json.RawMessage](ctx, c.client.of(root), root+"/subscriptions")
		switch {
		case err == nil:
			all = append(all, found...)
		case statusOf(err) == http.StatusForbidden:
			refused = append(refused, err)
		default:
			return nil, err
		}
	}
	if len(refused) == len(subscriptionRoots) {
		return nil, refused[0]
	}
	return all, nil
}

func newSubscriptionList(c *cli) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the subscriptions to VNFs, operations and packages",
		Long: `List the subscriptions to VNF instances and their operations (vnflcm, in both versions) and to VNF packages
(vnfpkgm). The list lacks the subscriptions of an API that you may not read. No answer shows credentials.`,
		Example: "  windlass subscription list\n  windlass subscription list -o jsonpath='{.items[*].callbackUri}'",
		Args:    exactly(),
	}
	f.addListFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return showList(cmd, c, f, subscriptionTable(), c.listSubscriptions)
	}
	return cmd
}

func subscriptionTable() table[subscription] {
	return table[subscription]{
		kind: "subscription", id: func(s subscription) string { return s.ID }, columns: []column[subscription]{
			{name: "ID", of: func(s subscription) any { return s.ID }},
			{name: "API", of: func(s subscription) any { return s.api() }},
			{name: "CALLBACK", of: func(s subscription) any { return s.CallbackURI }},
			{name: "NOTIFICATIONS", of: func(s subscription) any { return s.notifications() }},
			{name: "FILTER", of: func(s subscription) any { return string(s.Filter) }, wide: true},
		},
	}
}

func newSubscriptionShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Aliases: []string{"describe", "get"},
		Short:   "Show one subscription with its filter",
		Long: `Show one subscription with its filter. ID may be the beginning of the id, or the callback URI if only one
subscription has it.`,
		Example: "  windlass subscription show 5f1c\n  windlass subscription show https://nfvo.example/notifications -o json",
		Args:    exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, s, err := c.subscription(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return c.print(raw, func(w io.Writer) { s.describe(w) })
		},
	}
}

func (s subscription) describe(w io.Writer) {
	field(w, "ID", s.ID)
	field(w, "API", s.api())
	field(w, "Callback", s.CallbackURI)
	field(w, "Notifications", s.notifications())
	field(w, "Verbosity", s.Verbosity)
	field(w, "Filter", string(s.Filter))
}

func newSubscriptionDelete(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "delete ID...",
		Aliases: []string{"rm"},
		Short:   "Delete subscriptions, with the notifications that wait for them",
		Long: `Delete subscriptions. The subscribers get no further notifications: notifications that wait for them, and
their dead letters, are deleted, too.`,
		Example: "  windlass subscription delete https://nfvo.example/notifications",
		Args:    atLeastOne("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, id := range args {
				_, s, err := c.subscription(cmd.Context(), id)
				if err != nil {
					return err
				}
				root := "/" + s.api()
				path := root + "/subscriptions/" + url.PathEscape(s.ID)
				_, err = c.client.of(root).send(cmd.Context(), http.MethodDelete, path, nil, nil)
				if err != nil {
					return err
				}
				c.confirm("Subscription %s is deleted.", s.ID)
			}
			return nil
		},
	}
}

// subscription reads the subscription with that id. Nobody but the lists knows which API it belongs to.
func (c *cli) subscription(ctx context.Context, id string) (json.RawMessage, subscription, error) {
	all, err := c.listSubscriptions(ctx)
	if err != nil {
		return nil, subscription{}, err
	}
	decoded, err := decodeAll[subscription](all)
	if err != nil {
		return nil, subscription{}, err
	}
	i := slices.IndexFunc(decoded, func(s subscription) bool { return s.ID == id })
	if i < 0 {
		return nil, subscription{}, fmt.Errorf("there is no subscription %q; 'windlass subscription list' shows them all", id)
	}
	return all[i], decoded[i], nil
}

// findSubscriptionNamed finds subscriptions by their ids and by their callback URIs.
func findSubscriptionNamed(ctx context.Context, c *cli, _ string) (out []named, _ error) {
	all, err := c.listSubscriptions(ctx)
	if err != nil {
		return nil, err
	}
	found, err := decodeAll[subscription](all)
	for _, s := range found {
		out = append(out, named{s.ID, []string{s.CallbackURI}, s.api() + "  " + s.CallbackURI})
	}
	return out, err
}

// findSubscriptions finds subscriptions for the shell.
func findSubscriptions(ctx context.Context, c *cli, line typed) (found []candidate, _ error) {
	all, err := findSubscriptionNamed(ctx, c, line.begun)
	for _, s := range all {
		found = append(found, candidate{s.id, s.about})
	}
	return found, err
}
