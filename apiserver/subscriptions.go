package apiserver

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

// Subscribers calls subscribers back.
type Subscribers interface {
	// Check refuses a URI that notifications are not sent to.
	Check(uri string) error
	// HasCertificate tells whether there is a certificate to show to subscribers.
	HasCertificate() bool
	// TestCallback looks whether the subscriber answers GET with 204; authentication is a SubscriptionAuthentication,
	// or empty.
	TestCallback(ctx context.Context, s lcm.Subscription, authentication []byte) error
}

func (a *lcmAPI) subscriptionRoutes() []route {
	const one = "/subscriptions/:subscriptionId"
	return []route{
		{http.MethodPost, "/subscriptions", a.createSubscription},
		{http.MethodGet, "/subscriptions", a.listSubscriptions},
		{http.MethodGet, one, a.readSubscription},
		{http.MethodDelete, one, a.deleteSubscription},
	}
}

// subscriptionRequest is LccnSubscriptionRequest (SOL003 clause 5.5.2.15). Enumerations are checked by hand: they are in lists.
type subscriptionRequest struct {
	Filter         *subscriptionFilter    `json:"filter"`
	CallbackURI    string                 `json:"callbackUri" param:"required"`
	Authentication *authenticationRequest `json:"authentication"`
	Verbosity      string                 `json:"verbosity" param:"enum=FULL|SHORT"`
}

// authenticationRequest is SubscriptionAuthentication (SOL013 clause 8.3.4).
type authenticationRequest struct {
	AuthType    []string `json:"authType" param:"required"`
	ParamsBasic *struct {
		UserName string `json:"userName"`
		Password string `json:"password"`
	} `json:"paramsBasic"`
	ParamsOauth2 *struct {
		ClientID       string `json:"clientId"`
		ClientPassword string `json:"clientPassword"`
		TokenEndpoint  string `json:"tokenEndpoint"`
	} `json:"paramsOauth2ClientCredentials"`
}

type subscriptionFilter struct {
	Instances *struct {
		VnfdIDs   []string `json:"vnfdIds"`
		Providers []struct {
			Provider string `json:"vnfProvider" param:"required"`
			Products []struct {
				Name     string `json:"vnfProductName" param:"required"`
				Versions []struct {
					Software lcm.VersionText   `json:"vnfSoftwareVersion" param:"required"`
					Vnfds    []lcm.VersionText `json:"vnfdVersions"`
				} `json:"versions"`
			} `json:"vnfProducts"`
		} `json:"vnfProductsFromProviders"`
		IDs   []string `json:"vnfInstanceIds"`
		Names []string `json:"vnfInstanceNames"`
	} `json:"vnfInstanceSubscriptionFilter"`
	NotificationTypes []string `json:"notificationTypes"`
	OperationTypes    []string `json:"operationTypes"`
	OperationStates   []string `json:"operationStates"`
}

// subscriptionView is LccnSubscription (SOL003 clause 5.5.2.16). It has no authentication: secrets are never echoed.
type subscriptionView struct {
	ID          lcm.SubscriptionID      `json:"id"`
	Filter      *lcm.SubscriptionFilter `json:"filter,omitempty"`
	CallbackURI string                  `json:"callbackUri"`
	Verbosity   lcm.Verbosity           `json:"verbosity,omitempty"`
	Links       map[string]link         `json:"_links"`
}

func (a *lcmAPI) subscriptionView(s lcm.Subscription) subscriptionView {
	v := subscriptionView{
		ID: s.ID, Filter: s.Filter, CallbackURI: s.CallbackURI,
		Links: map[string]link{"self": {a.base + a.prefix + "/subscriptions/" + string(s.ID)}},
	}
	if a.number == 2 {
		v.Verbosity = s.Verbosity
	}
	return v
}

// createSubscription is SOL003 clause 5.4.18.3.1.
func (a *lcmAPI) createSubscription(c echo.Context) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	req, err := decode[subscriptionRequest](body)
	if err != nil {
		return err
	}
	if err := lcm.InvalidAll("The request has mistakes", a.checkSubscription(req)); err != nil {
		return err
	}
	sub, clear, err := a.subscriptionOf(req, body)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	created, err := a.keepSubscription(ctx, sub, clear)
	if err != nil {
		return err
	}
	view := a.subscriptionView(created)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	if created.ID != sub.ID { // there was one
		return c.NoContent(http.StatusSeeOther)
	}
	return writeJSON(c, http.StatusCreated, view)
}

// keepSubscription calls the subscriber, seals the secrets and stores the subscription, unless there is one like it.
func (s *Server) keepSubscription(ctx context.Context, sub lcm.Subscription, clear []byte) (created lcm.Subscription, err error) {
	if s.Subscribers != nil && !s.NoCallbackTest {
		if err := s.Subscribers.TestCallback(ctx, sub, clear); err != nil {
			return created, unprocessable("$.callbackUri", "the test of the callback failed: %s", sentence(err))
		}
	}
	prefix := subscriptionSecrets(sub.ID)
	if sub.Authentication, err = secrets.SealDocument(ctx, s.Vault, prefix, clear); err == nil {
		created, err = s.orSame(ctx, sub, clear)
	}
	if err == nil && created.ID != sub.ID { // there was one
		s.forget(ctx, prefix)
	}
	err = s.stored(ctx, string(sub.ID), prefix, err, func(ctx context.Context) (err error) {
		created, err = s.Store.Subscription(ctx, sub.ID)
		return err
	})
	return created, err
}

// orSame stores the subscription, or finds one that is the same in all that its client has given. The standard compares the
// callback and the filter only (SOL003 clause 5.4.18.3.1), and lets us create all the same: what has other credentials is created,
// because a 303 would drop them without a word.
func (s *Server) orSame(ctx context.Context, sub lcm.Subscription, clear []byte) (lcm.Subscription, error) {
	var others []lcm.SubscriptionID
	for {
		created, err := s.Store.CreateSubscription(ctx, sub, s.DuplicateSubscriptions, others...)
		if err != nil || created.ID == sub.ID {
			return created, err
		}
		same, err := s.authenticatesAs(ctx, created, clear)
		if err != nil || same {
			return created, err
		}
		others = append(others, created.ID)
	}
}

// authenticatesAs tells whether a subscription that is stored has the authentication of a request.
func (s *Server) authenticatesAs(ctx context.Context, sub lcm.Subscription, clear []byte) (bool, error) {
	stored, err := secrets.OpenDocument(ctx, s.Vault, sub.Authentication)
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

// canonicalAuthentication is one text for all documents that mean the same.
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

// subscriptionOf makes the domain's type of a request that was checked; clear is its authentication.
func (a *lcmAPI) subscriptionOf(req subscriptionRequest, body []byte) (sub lcm.Subscription, clear []byte, err error) {
	var known struct {
		Filter         *lcm.SubscriptionFilter         `json:"filter"`
		Authentication *lcm.SubscriptionAuthentication `json:"authentication"`
	}
	if err := json.Unmarshal(body, &known); err != nil {
		return sub, nil, lcm.Wrap(lcm.KindInvalid, err, "The request's body does not have the expected form.")
	}
	sub = lcm.Subscription{
		ID: newID[lcm.SubscriptionID](), API: lcm.APILcm, APIVersion: a.number, Filter: known.Filter, CallbackURI: req.CallbackURI,
		Verbosity: lcm.VerbosityFull, Endpoint: a.base,
	}
	if a.number == 2 && req.Verbosity != "" {
		sub.Verbosity = lcm.Verbosity(req.Verbosity)
	}
	if known.Authentication != nil {
		clear, err = json.Marshal(known.Authentication)
	}
	return sub, clear, err
}

// The values of the standard. Those that Windlass has nothing of may be asked for; nothing comes then.
var (
	notificationTypes = []string{string(lcm.NotifyOperation), string(lcm.NotifyCreation), string(lcm.NotifyDeletion)}
	authTypes         = []string{lcm.AuthBasic, lcm.AuthOauth2, lcm.AuthTLS}
	operationTypes    = map[int][]string{
		1: {"INSTANTIATE", "SCALE", "SCALE_TO_LEVEL", "CHANGE_FLAVOUR", "TERMINATE", "HEAL", "OPERATE", "CHANGE_EXT_CONN", "MODIFY_INFO"},
		2: {
			"INSTANTIATE", "SCALE", "SCALE_TO_LEVEL", "CHANGE_FLAVOUR", "TERMINATE", "HEAL", "OPERATE", "CHANGE_EXT_CONN", "MODIFY_INFO",
			"CREATE_SNAPSHOT", "REVERT_TO_SNAPSHOT", "CHANGE_VNFPKG",
		},
	}
)

// subscriptionProblems collects those of a request that its type cannot tell.
type subscriptionProblems struct{ problems []lcm.Problem }

func (m *subscriptionProblems) add(path, format string, args ...any) {
	m.problems = append(m.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// checkSubscription finds what the types cannot tell: SOL003 clauses 5.5.3.12 and 4.4.1.5, SOL013 clause 8.3.4.
func (a *lcmAPI) checkSubscription(req subscriptionRequest) []lcm.Problem {
	var s subscriptionProblems
	a.checkCallback(&s, req.CallbackURI)
	a.checkAuthentication(&s, req.Authentication)
	if f := req.Filter; f != nil {
		a.checkSubscriptionFilter(&s, f)
	}
	return s.problems
}

func (s *Server) checkCallback(found *subscriptionProblems, uri string) {
	if s.Subscribers == nil {
		return
	}
	if err := s.Subscribers.Check(uri); err != nil {
		found.add("$.callbackUri", "%s", sentence(err))
	}
}

func (s *Server) checkAuthentication(found *subscriptionProblems, auth *authenticationRequest) {
	if auth == nil {
		return
	}
	const path = "$.authentication"
	if len(auth.AuthType) == 0 {
		found.add(path+".authType", "must not be empty")
	}
	found.oneOf(path+".authType", auth.AuthType, authTypes)
	if s.Subscribers != nil && !s.Subscribers.HasCertificate() && !slices.ContainsFunc(auth.AuthType, func(t string) bool { return t != lcm.AuthTLS }) {
		found.add(path+".authType", "%s cannot be done: Windlass has no certificate to show (notifications.certFile)", lcm.AuthTLS)
	}
	if slices.Contains(auth.AuthType, lcm.AuthBasic) && (auth.ParamsBasic == nil || auth.ParamsBasic.UserName == "" || auth.ParamsBasic.Password == "") {
		found.add(path+".paramsBasic", "must have userName and password: nothing was provisioned otherwise")
	}
	if !slices.Contains(auth.AuthType, lcm.AuthOauth2) {
		return
	}
	p := auth.ParamsOauth2
	if p == nil || p.ClientID == "" || p.ClientPassword == "" || p.TokenEndpoint == "" {
		found.add(path+".paramsOauth2ClientCredentials", "must have clientId, clientPassword and tokenEndpoint: nothing was provisioned otherwise")
	} else if s.Subscribers != nil {
		if err := s.Subscribers.Check(p.TokenEndpoint); err != nil {
			found.add(path+".paramsOauth2ClientCredentials.tokenEndpoint", "%s", sentence(err))
		}
	}
}

func (a *lcmAPI) checkSubscriptionFilter(s *subscriptionProblems, f *subscriptionFilter) {
	const path = "$.filter"
	s.oneOf(path+".notificationTypes", f.NotificationTypes, notificationTypes)
	s.oneOf(path+".operationTypes", f.OperationTypes, operationTypes[a.number])
	var states []string
	for _, state := range lcm.OperationStates {
		states = append(states, string(state))
	}
	s.oneOf(path+".operationStates", f.OperationStates, states)
	if len(f.NotificationTypes) > 0 && !slices.Contains(f.NotificationTypes, string(lcm.NotifyOperation)) {
		for _, list := range []struct {
			name  string
			given int
		}{{"operationTypes", len(f.OperationTypes)}, {"operationStates", len(f.OperationStates)}} {
			if list.given > 0 {
				s.add(path+"."+list.name, "needs %s among notificationTypes", lcm.NotifyOperation)
			}
		}
	}
}

// oneOf wants every item of a list to be one of the allowed.
func (m *subscriptionProblems) oneOf(path string, list, allowed []string) {
	for i, item := range list {
		if !slices.Contains(allowed, item) {
			m.add(fmt.Sprintf("%s[%d]", path, i), "must be one of %v, not %q", allowed, item)
		}
	}
}

var subscriptionListRules = listRules{filterOnly: true, view: reflect.TypeFor[subscriptionView]()}

func (a *lcmAPI) listSubscriptions(c echo.Context) error {
	return serveList(c, a.Server, listing[lcm.Subscription]{
		rules: subscriptionListRules,
		page: func(ctx context.Context, p store.Page) ([]lcm.Subscription, error) {
			return a.Store.SubscriptionPage(ctx, lcm.APILcm, a.number, p)
		},
		view: func(s lcm.Subscription) (any, error) { return a.subscriptionView(s), nil },
		id:   func(s lcm.Subscription) string { return string(s.ID) },
	})
}

// pathSubscription reads the subscription that the path names; those of the other version are not there.
func (a *lcmAPI) pathSubscription(c echo.Context) (lcm.Subscription, error) {
	id, err := idParam[lcm.SubscriptionID](c, "subscriptionId", "subscription")
	if err != nil {
		return lcm.Subscription{}, err
	}
	sub, err := a.Store.Subscription(c.Request().Context(), id)
	if err == nil && (sub.API != lcm.APILcm || sub.APIVersion != a.number) {
		return sub, lcm.Errorf(lcm.KindNotFound, "There is no subscription %s under %s.", id, a.prefix)
	}
	if err == nil {
		inProjectOf(c, sub.ProjectID)
	}
	return sub, err
}

func (a *lcmAPI) readSubscription(c echo.Context) error {
	if err := noQuery(c); err != nil {
		return err
	}
	sub, err := a.pathSubscription(c)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, a.subscriptionView(sub))
}

func (a *lcmAPI) deleteSubscription(c echo.Context) error {
	sub, err := a.pathSubscription(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := a.Store.DeleteSubscription(ctx, sub.ID); err != nil {
		return err
	}
	a.forget(ctx, subscriptionSecrets(sub.ID))
	return c.NoContent(http.StatusNoContent)
}
