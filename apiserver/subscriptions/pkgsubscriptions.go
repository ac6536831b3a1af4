package subscriptions

import (
	"reflect"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Packages are the routes of subscriptions to changes of VNF packages (SOL003 clause 10.4.7). Their notifications use
// the same outbox as operations.
func (h *Handler) Packages() []rest.Route {
	return (&resource{
		Handler: h, api: lcm.APIPkgm, version: 1, prefix: rest.PkgV1.Prefix,
		rules: rest.ListRules{FilterOnly: true, View: reflect.TypeFor[pkgSubscriptionView]()},
		parse: h.parsePkgSubscription,
		view: func(sub lcm.Subscription, links map[string]rest.Link) any {
			return pkgSubscriptionView{ID: sub.ID, Filter: sub.Packages, CallbackURI: sub.CallbackURI, Links: links}
		},
	}).routes()
}

// pkgSubscriptionRequest is PkgmSubscriptionRequest (SOL003 clause 10.5.2.3).
type pkgSubscriptionRequest struct {
	Filter *struct {
		NotificationTypes lcm.Texts          `json:"notificationTypes"`
		Providers         []providerProducts `json:"vnfProductsFromProviders"`
		VnfdIDs           []string           `json:"vnfdId"`
		VnfPkgIDs         []string           `json:"vnfPkgId"`
		OperationalStates []string           `json:"operationalState"`
		UsageStates       []string           `json:"usageState"`
	} `json:"filter"`
	CallbackURI    string                 `json:"callbackUri" param:"required"`
	Authentication *authenticationRequest `json:"authentication"`
}

// pkgSubscriptionView is PkgmSubscription (SOL003 clause 10.5.2.4), without secrets.
type pkgSubscriptionView struct {
	ID          lcm.SubscriptionID   `json:"id"`
	Filter      *lcm.PackageFilter   `json:"filter,omitempty"`
	CallbackURI string               `json:"callbackUri"`
	Links       map[string]rest.Link `json:"_links"`
}

func (h *Handler) parsePkgSubscription(
	body []byte,
) (sub lcm.Subscription, auth *lcm.SubscriptionAuthentication, err error) {
	req, err := rest.Decode[pkgSubscriptionRequest](body)
	if err != nil {
		return sub, nil, err
	}
	problems := append(h.checkPkgSubscription(req), rest.Unknown[pkgSubscriptionRequest](body, filterPath)...)
	if err := lcm.InvalidAll("The request has mistakes", problems); err != nil {
		return sub, nil, err
	}
	sub = lcm.Subscription{CallbackURI: req.CallbackURI, Verbosity: lcm.VerbosityFull}
	auth, err = knownParts(body, &sub.Packages)
	return sub, auth, err
}

func (h *Handler) checkPkgSubscription(req pkgSubscriptionRequest) []lcm.Problem {
	var found subscriptionProblems
	h.checkCallback(&found, req.CallbackURI)
	h.checkAuthentication(&found, req.Authentication)
	if f := req.Filter; f != nil {
		found.oneOf("$.filter.notificationTypes", f.NotificationTypes,
			[]string{string(lcm.NotifyPkgOnboarding), string(lcm.NotifyPkgChange)})
		found.oneOf("$.filter.operationalState", f.OperationalStates, []string{lcm.PkgEnabled, lcm.PkgDisabled})
		found.oneOf("$.filter.usageState", f.UsageStates, []string{lcm.PkgInUse, lcm.PkgNotInUse})
	}
	return found.problems
}
