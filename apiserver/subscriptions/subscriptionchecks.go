package subscriptions

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

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

// filterPath is the filter of a request. A member that Windlass does not know is refused there: without it, the
// subscription would get more than the client has asked for.
const filterPath = "$.filter"

// subscriptionProblems collects the mistakes of a request that its type cannot express.
type subscriptionProblems struct{ problems []lcm.Problem }

func (m *subscriptionProblems) add(path, format string, args ...any) {
	m.problems = append(m.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// oneOf requires every item of a list to be among the allowed values.
func (m *subscriptionProblems) oneOf(path string, list, allowed []string) {
	for i, item := range list {
		if !slices.Contains(allowed, item) {
			m.add(fmt.Sprintf("%s[%d]", path, i), "must be one of %v, not %q", allowed, item)
		}
	}
}

func (h *Handler) checkCallback(found *subscriptionProblems, uri string) {
	if h.Subscribers == nil {
		return
	}
	if err := h.Subscribers.Check(uri); err != nil {
		found.add("$.callbackUri", "%s", rest.Sentence(err))
	}
}

func (h *Handler) checkAuthentication(found *subscriptionProblems, auth *authenticationRequest) {
	if auth == nil {
		return
	}
	const path = "$.authentication"
	if len(auth.AuthType) == 0 {
		found.add(path+".authType", "must not be empty")
	}
	found.oneOf(path+".authType", auth.AuthType, authTypes)
	if h.Subscribers != nil && !h.Subscribers.HasCertificate() &&
		!slices.ContainsFunc(auth.AuthType, func(t string) bool { return t != lcm.AuthTLS }) {
		found.add(path+".authType", "%s is not possible: Windlass has no client certificate (notifications.certFile)",
			lcm.AuthTLS)
	}
	if slices.Contains(auth.AuthType, lcm.AuthBasic) &&
		(auth.ParamsBasic == nil || auth.ParamsBasic.UserName == "" || auth.ParamsBasic.Password == "") {
		found.add(path+".paramsBasic", "must have userName and password: Windlass knows them only from the request")
	}
	if auth.ParamsBasic != nil && strings.Contains(auth.ParamsBasic.UserName, ":") {
		found.add(path+".paramsBasic.userName", "must not have a colon: the receiver would take what follows it for the "+
			"password (RFC 7617)")
	}
	if !slices.Contains(auth.AuthType, lcm.AuthOauth2) {
		return
	}
	p := auth.ParamsOauth2
	if p == nil || p.ClientID == "" || p.ClientPassword == "" || p.TokenEndpoint == "" {
		found.add(path+".paramsOauth2ClientCredentials",
			"must have clientId, clientPassword and tokenEndpoint: Windlass knows them only from the request")
	} else if h.Subscribers != nil {
		if err := h.Subscribers.Check(p.TokenEndpoint); err != nil {
			found.add(path+".paramsOauth2ClientCredentials.tokenEndpoint", "%s", rest.Sentence(err))
		}
	}
}

// knownParts reads the filter and the authentication of a checked request, as far as Windlass knows their members.
func knownParts[F any](body []byte, filter **F) (*lcm.SubscriptionAuthentication, error) {
	var known struct {
		Filter         *F                              `json:"filter"`
		Authentication *lcm.SubscriptionAuthentication `json:"authentication"`
	}
	if err := json.Unmarshal(body, &known); err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The request's body does not have the expected form.")
	}
	if *filter = known.Filter; known.Filter != nil && reflect.ValueOf(*known.Filter).IsZero() {
		*filter = nil // an empty filter lets everything pass, too
	}
	return known.Authentication, nil
}
