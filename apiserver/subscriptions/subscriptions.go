package subscriptions

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

// resource serves the subscriptions that are made under one version of one API (SOL003 clauses 5.4.18, 5.4.19,
// 10.4.7 and 10.4.8).
type resource struct {
	*Handler
	api     lcm.SubscribedAPI
	version int
	prefix  string
	rules   rest.ListRules
	// parse makes and checks the subscription of a request. The returned authentication is in the clear, nil for none.
	parse func(body []byte) (lcm.Subscription, *lcm.SubscriptionAuthentication, error)
	// view is a subscription as clients see it: without authentication, for secrets are never echoed.
	view func(sub lcm.Subscription, links map[string]rest.Link) any
}

func (a *resource) routes() []rest.Route {
	const one = "/subscriptions/:subscriptionId"
	return []rest.Route{
		rest.Post("/subscriptions", a.create),
		rest.Get("/subscriptions", a.list),
		rest.Get(one, a.read),
		rest.Delete(one, a.delete),
	}
}

func (a *resource) self(sub lcm.Subscription) rest.Link {
	return rest.Link{Href: a.Base + a.prefix + "/subscriptions/" + string(sub.ID)}
}

func (a *resource) viewOf(sub lcm.Subscription) any {
	return a.view(sub, map[string]rest.Link{"self": a.self(sub)})
}

// create is SOL003 clauses 5.4.18.3.1 and 10.4.7.3.1.
func (a *resource) create(c echo.Context) error {
	body, err := rest.ReadJSON(c)
	if err != nil {
		return err
	}
	sub, authentication, err := a.parse(body)
	if err != nil {
		return err
	}
	sub.ID, sub.API, sub.APIVersion, sub.Endpoint = rest.NewID[lcm.SubscriptionID](), a.api, a.version, a.Base
	var clear []byte
	if authentication != nil {
		if clear, err = json.Marshal(authentication); err != nil {
			return err
		}
	}
	// Tacker's client follows a 303 with another POST, which would be a 405. Tacker's v2 creates a second subscription.
	twice := a.DuplicateSubscriptions || rest.OfTackersClient(c)
	created, err := a.keepSubscription(c.Request().Context(), sub, clear, twice)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Location", a.self(created).Href)
	if created.ID != sub.ID { // there was one
		return c.NoContent(http.StatusSeeOther)
	}
	return rest.WriteJSON(c, http.StatusCreated, a.viewOf(created))
}

func (a *resource) list(c echo.Context) error {
	return rest.ServeList(c, a.Backend, rest.Listing[lcm.Subscription]{
		Rules: a.rules,
		Page: func(ctx context.Context, p store.Page) ([]lcm.Subscription, error) {
			return a.Store.SubscriptionPage(ctx, a.api, a.version, p)
		},
		View: func(sub lcm.Subscription) (any, error) { return a.viewOf(sub), nil },
		ID:   func(sub lcm.Subscription) string { return string(sub.ID) },
	})
}

// named reads the subscription that the path names. Subscriptions of other APIs, and of other versions, count as
// absent.
func (a *resource) named(c echo.Context) (lcm.Subscription, error) {
	id, err := rest.IDParam[lcm.SubscriptionID](c, "subscriptionId", "subscription")
	if err != nil {
		return lcm.Subscription{}, err
	}
	sub, err := a.Store.Subscription(c.Request().Context(), id)
	if err == nil && (sub.API != a.api || sub.APIVersion != a.version) {
		return sub, lcm.Errorf(lcm.KindNotFound, "There is no subscription %s under %s.", id, a.prefix)
	}
	if err == nil {
		rest.InProjectOf(c, sub.ProjectID)
	}
	return sub, err
}

func (a *resource) read(c echo.Context) error {
	if err := rest.NoQuery(c); err != nil {
		return err
	}
	sub, err := a.named(c)
	if err != nil {
		return err
	}
	return rest.WriteJSON(c, http.StatusOK, a.viewOf(sub))
}

func (a *resource) delete(c echo.Context) error {
	sub, err := a.named(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := a.Store.DeleteSubscription(ctx, sub.ID); err != nil {
		return err
	}
	a.Forget(ctx, subscriptionSecrets(sub.ID))
	return c.NoContent(http.StatusNoContent)
}

// keepSubscription calls the subscriber, seals the secrets and stores the subscription, unless an equal subscription
// exists and twice is false.
func (h *Handler) keepSubscription(
	ctx context.Context, sub lcm.Subscription, clear []byte, twice bool,
) (created lcm.Subscription, err error) {
	if h.Subscribers != nil && !h.NoCallbackTest {
		if err := h.Subscribers.TestCallback(ctx, sub, clear); err != nil {
			return created, rest.Unprocessable("$.callbackUri", "the test of the callback failed: %s", rest.Sentence(err))
		}
	}
	prefix := subscriptionSecrets(sub.ID)
	if sub.Authentication, err = secrets.SealDocument(ctx, h.Vault, prefix, clear); err == nil {
		created, err = h.orSame(ctx, sub, clear, twice)
	}
	if err == nil && created.ID != sub.ID { // there was one
		h.Forget(ctx, prefix)
	}
	err = h.Stored(ctx, string(sub.ID), prefix, err, func(ctx context.Context) (err error) {
		created, err = h.Store.Subscription(ctx, sub.ID)
		return err
	})
	return created, err
}

// orSame stores the subscription, or finds a subscription that equals it in everything that the client has given. The
// standard compares the callback and the filter only (SOL003 clause 5.4.18.3.1), but lets us create all the same. With
// other credentials a new one is created, because a 303 would silently drop the credentials.
func (h *Handler) orSame(
	ctx context.Context, sub lcm.Subscription, clear []byte, twice bool,
) (lcm.Subscription, error) {
	var others []lcm.SubscriptionID
	for {
		created, err := h.Store.CreateSubscription(ctx, sub, h.MostSubscriptions, twice, others...)
		if err != nil || created.ID == sub.ID {
			return created, err
		}
		same, err := h.authenticatesAs(ctx, created, clear)
		if err != nil || same {
			return created, err
		}
		others = append(others, created.ID)
	}
}

// authenticatesAs tells whether a stored subscription has the authentication of a request.
func (h *Handler) authenticatesAs(ctx context.Context, sub lcm.Subscription, clear []byte) (bool, error) {
	stored, err := secrets.OpenDocument(ctx, h.Vault, sub.Authentication)
	if lcm.Is(err, lcm.KindNotFound) { // deleted meanwhile, with its secrets
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a, err := canonicalAuthentication(stored)
	if err != nil {
		return false, err
	}
	b, err := canonicalAuthentication(clear)
	return subtle.ConstantTimeCompare(a, b) == 1, err
}

// canonicalAuthentication is the same text for all documents with the same meaning.
func canonicalAuthentication(doc []byte) ([]byte, error) {
	var auth lcm.SubscriptionAuthentication
	if len(doc) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(doc, &auth); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The authentication of a subscription is not JSON of the expected form.")
	}
	slices.Sort(auth.AuthType)
	return json.Marshal(auth)
}

func subscriptionSecrets(id lcm.SubscriptionID) lcm.SecretRef {
	return lcm.SecretRef("subscription/" + string(id))
}
