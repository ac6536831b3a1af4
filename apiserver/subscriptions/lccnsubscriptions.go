package subscriptions

import (
	"reflect"
	"slices"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Lifecycle are the routes of subscriptions to changes of VNFs and to operations on them (SOL003 clause 5.4.18).
func (h *Handler) Lifecycle(root rest.Root) []rest.Route {
	a := &lccn{h, root}
	rules := rest.ListRules{FilterOnly: true, View: reflect.TypeFor[subscriptionView]()}
	if root.Number == 1 {
		rules.Aliases = tackersNames()
	}
	return (&resource{
		Handler: h, api: lcm.APILcm, version: root.Number, prefix: root.Prefix,
		rules: rules, parse: a.parseSubscription, view: a.viewSubscription,
	}).routes()
}

// tackersNames are the names by which Tacker's v1 knows the parts of a subscription's filter, without a path.
func tackersNames() map[string][]string {
	names := map[string][]string{}
	add := func(path []string, parts ...string) []string {
		for _, name := range parts {
			names[name] = slices.Concat(path, []string{name})
		}
		return path
	}
	path := add([]string{"filter"}, "notificationTypes", "operationTypes", "operationStates")
	path = add(append(path, "vnfInstanceSubscriptionFilter"), "vnfdIds", "vnfInstanceIds", "vnfInstanceNames")
	path = add(append(path, "vnfProductsFromProviders"), "vnfProvider")
	path = add(append(path, "vnfProducts"), "vnfProductName")
	add(append(path, "versions"), "vnfSoftwareVersion", "vnfdVersions")
	return names
}

// lccn are the subscriptions that are made under one version of /vnflcm.
type lccn struct {
	*Handler
	rest.Root
}

// subscriptionRequest is LccnSubscriptionRequest (SOL003 clause 5.5.2.15). Enumerations are checked by hand: they are
// in lists.
type subscriptionRequest struct {
	Filter         *subscriptionFilter    `json:"filter"`
	CallbackURI    string                 `json:"callbackUri" param:"required"`
	Authentication *authenticationRequest `json:"authentication"`
	Verbosity      string                 `json:"verbosity" param:"enum=FULL|SHORT"`
}

type subscriptionFilter struct {
	Instances *struct {
		VnfdIDs   []string           `json:"vnfdIds"`
		Providers []providerProducts `json:"vnfProductsFromProviders"`
		IDs       []string           `json:"vnfInstanceIds"`
		Names     []string           `json:"vnfInstanceNames"`
	} `json:"vnfInstanceSubscriptionFilter"`
	NotificationTypes []string `json:"notificationTypes"`
	OperationTypes    []string `json:"operationTypes"`
	OperationStates   []string `json:"operationStates"`
}

// providerProducts is an entry of vnfProductsFromProviders, in filters of both kinds of subscriptions.
type providerProducts struct {
	Provider string `json:"vnfProvider" param:"required"`
	Products []struct {
		Name     string `json:"vnfProductName" param:"required"`
		Versions []struct {
			Software lcm.VersionText   `json:"vnfSoftwareVersion" param:"required"`
			Vnfds    []lcm.VersionText `json:"vnfdVersions"`
		} `json:"versions"`
	} `json:"vnfProducts"`
}

// subscriptionView is LccnSubscription (SOL003 clause 5.5.2.16). It has no authentication: secrets are never echoed.
type subscriptionView struct {
	ID          lcm.SubscriptionID      `json:"id"`
	Filter      *lcm.SubscriptionFilter `json:"filter,omitempty"`
	CallbackURI string                  `json:"callbackUri"`
	Verbosity   lcm.Verbosity           `json:"verbosity,omitempty"`
	Links       map[string]rest.Link    `json:"_links"`
}

func (a *lccn) viewSubscription(s lcm.Subscription, links map[string]rest.Link) any {
	v := subscriptionView{ID: s.ID, Filter: s.Filter, CallbackURI: s.CallbackURI, Links: links}
	if a.Number == 2 {
		v.Verbosity = s.Verbosity
	}
	return v
}

func (a *lccn) parseSubscription(
	body []byte,
) (sub lcm.Subscription, auth *lcm.SubscriptionAuthentication, err error) {
	req, err := rest.Decode[subscriptionRequest](body)
	if err != nil {
		return sub, nil, err
	}
	problems := append(a.checkSubscription(req), rest.Unknown[subscriptionRequest](body, filterPath)...)
	if err := lcm.InvalidAll("The request has mistakes", problems); err != nil {
		return sub, nil, err
	}
	sub = lcm.Subscription{CallbackURI: req.CallbackURI, Verbosity: lcm.VerbosityFull}
	if a.Number == 2 && req.Verbosity != "" {
		sub.Verbosity = lcm.Verbosity(req.Verbosity)
	}
	auth, err = knownParts(body, &sub.Filter)
	return sub, auth, err
}

// The values of the standard. Those that Windlass has nothing of may be asked for; nothing comes then.
var (
	notificationTypes = []string{string(lcm.NotifyOperation), string(lcm.NotifyCreation), string(lcm.NotifyDeletion)}
	authTypes         = []string{lcm.AuthBasic, lcm.AuthOauth2, lcm.AuthTLS}
)

// checkSubscription finds the mistakes that the types cannot express: SOL003 clauses 5.5.3.12 and 4.4.1.5, SOL013
// clause 8.3.4.
func (a *lccn) checkSubscription(req subscriptionRequest) []lcm.Problem {
	var s subscriptionProblems
	a.checkCallback(&s, req.CallbackURI)
	a.checkAuthentication(&s, req.Authentication)
	if f := req.Filter; f != nil {
		a.checkSubscriptionFilter(&s, f)
	}
	return s.problems
}

func (a *lccn) checkSubscriptionFilter(s *subscriptionProblems, f *subscriptionFilter) {
	const path = filterPath
	s.oneOf(path+".notificationTypes", f.NotificationTypes, notificationTypes)
	s.oneOf(path+".operationTypes", f.OperationTypes, lcm.OperationNames(a.Number))
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
