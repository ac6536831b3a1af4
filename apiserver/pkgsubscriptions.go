package apiserver

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// Subscriptions to what becomes of VNF packages (SOL003 clause 10.4.7): notified through the outbox that operations use.
func (s *Server) packageSubscriptionRoutes() []route {
	const one = "/subscriptions/:subscriptionId"
	return []route{
		{http.MethodPost, "/subscriptions", s.createPkgSubscription},
		{http.MethodGet, "/subscriptions", s.listPkgSubscriptions},
		{http.MethodGet, one, s.readPkgSubscription},
		{http.MethodDelete, one, s.deletePkgSubscription},
	}
}

// pkgSubscriptionRequest is PkgmSubscriptionRequest (SOL003 clause 10.5.2.3).
type pkgSubscriptionRequest struct {
	Filter *struct {
		NotificationTypes lcm.Texts `json:"notificationTypes"`
		Providers         []struct {
			Provider string `json:"vnfProvider" param:"required"`
			Products []struct {
				Name     string `json:"vnfProductName" param:"required"`
				Versions []struct {
					Software lcm.VersionText   `json:"vnfSoftwareVersion" param:"required"`
					Vnfds    []lcm.VersionText `json:"vnfdVersions"`
				} `json:"versions"`
			} `json:"vnfProducts"`
		} `json:"vnfProductsFromProviders"`
		VnfdIDs           []string `json:"vnfdId"`
		VnfPkgIDs         []string `json:"vnfPkgId"`
		OperationalStates []string `json:"operationalState"`
		UsageStates       []string `json:"usageState"`
	} `json:"filter"`
	CallbackURI    string                 `json:"callbackUri" param:"required"`
	Authentication *authenticationRequest `json:"authentication"`
}

// pkgSubscriptionView is PkgmSubscription (SOL003 clause 10.5.2.4), without secrets.
type pkgSubscriptionView struct {
	ID          lcm.SubscriptionID `json:"id"`
	Filter      *lcm.PackageFilter `json:"filter,omitempty"`
	CallbackURI string             `json:"callbackUri"`
	Links       map[string]link    `json:"_links"`
}

func (s *Server) pkgSubscriptionView(sub lcm.Subscription) pkgSubscriptionView {
	return pkgSubscriptionView{
		ID: sub.ID, Filter: sub.Packages, CallbackURI: sub.CallbackURI,
		Links: map[string]link{"self": {s.base + rootPkgV1.prefix + "/subscriptions/" + string(sub.ID)}},
	}
}

// createPkgSubscription is SOL003 clause 10.4.7.3.1.
func (s *Server) createPkgSubscription(c echo.Context) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	req, err := decode[pkgSubscriptionRequest](body)
	if err != nil {
		return err
	}
	if err := lcm.InvalidAll("The request has mistakes", s.checkPkgSubscription(req)); err != nil {
		return err
	}
	var known struct {
		Filter         *lcm.PackageFilter              `json:"filter"`
		Authentication *lcm.SubscriptionAuthentication `json:"authentication"`
	}
	if err := json.Unmarshal(body, &known); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The request's body does not have the expected form.")
	}
	var clear []byte
	if known.Authentication != nil {
		if clear, err = json.Marshal(known.Authentication); err != nil {
			return err
		}
	}
	sub := lcm.Subscription{
		ID: newID[lcm.SubscriptionID](), API: lcm.APIPkgm, APIVersion: 1, Packages: known.Filter, CallbackURI: req.CallbackURI,
		Verbosity: lcm.VerbosityFull, Endpoint: s.base,
	}
	created, err := s.keepSubscription(c.Request().Context(), sub, clear)
	if err != nil {
		return err
	}
	view := s.pkgSubscriptionView(created)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	if created.ID != sub.ID { // there was one
		return c.NoContent(http.StatusSeeOther)
	}
	return writeJSON(c, http.StatusCreated, view)
}

func (s *Server) checkPkgSubscription(req pkgSubscriptionRequest) []lcm.Problem {
	var found subscriptionProblems
	s.checkCallback(&found, req.CallbackURI)
	s.checkAuthentication(&found, req.Authentication)
	if f := req.Filter; f != nil {
		found.oneOf("$.filter.notificationTypes", f.NotificationTypes, []string{string(lcm.NotifyPkgOnboarding), string(lcm.NotifyPkgChange)})
		found.oneOf("$.filter.operationalState", f.OperationalStates, []string{lcm.PkgEnabled, lcm.PkgDisabled})
		found.oneOf("$.filter.usageState", f.UsageStates, []string{lcm.PkgInUse, lcm.PkgNotInUse})
	}
	return found.problems
}

var pkgSubscriptionListRules = listRules{filterOnly: true, view: reflect.TypeFor[pkgSubscriptionView]()}

func (s *Server) listPkgSubscriptions(c echo.Context) error {
	return serveList(c, s, listing[lcm.Subscription]{
		rules: pkgSubscriptionListRules,
		page: func(ctx context.Context, p store.Page) ([]lcm.Subscription, error) {
			return s.Store.SubscriptionPage(ctx, lcm.APIPkgm, 1, p)
		},
		view: func(sub lcm.Subscription) (any, error) { return s.pkgSubscriptionView(sub), nil },
		id:   func(sub lcm.Subscription) string { return string(sub.ID) },
	})
}

// pathPkgSubscription reads the subscription that the path names; those of other APIs are not there.
func (s *Server) pathPkgSubscription(c echo.Context) (lcm.Subscription, error) {
	id, err := idParam[lcm.SubscriptionID](c, "subscriptionId", "subscription")
	if err != nil {
		return lcm.Subscription{}, err
	}
	sub, err := s.Store.Subscription(c.Request().Context(), id)
	if err == nil && sub.API != lcm.APIPkgm {
		return sub, lcm.Errorf(lcm.KindNotFound, "There is no subscription %s under %s.", id, rootPkgV1.prefix)
	}
	if err == nil {
		inProjectOf(c, sub.ProjectID)
	}
	return sub, err
}

func (s *Server) readPkgSubscription(c echo.Context) error {
	if err := noQuery(c); err != nil {
		return err
	}
	sub, err := s.pathPkgSubscription(c)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, s.pkgSubscriptionView(sub))
}

func (s *Server) deletePkgSubscription(c echo.Context) error {
	sub, err := s.pathPkgSubscription(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := s.Store.DeleteSubscription(ctx, sub.ID); err != nil {
		return err
	}
	s.forget(ctx, subscriptionSecrets(sub.ID))
	return c.NoContent(http.StatusNoContent)
}
