package auth

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// OAuth2 authenticates by bearer tokens of OAuth 2.0 that are signed JWTs (RFC 6750, RFC 9068, SOL013 clause 8.3.2).
type OAuth2 struct {
	// Issuer and Audience must be in a token.
	Issuer, Audience string
	// ProjectClaim names the claim with the client's project.
	ProjectClaim string
	// Project is the project of tokens without the claim, "" to refuse them.
	Project lcm.ProjectID
	// Keys are the issuer's.
	Keys *KeySet
	// Now is the clock; nil: the system's.
	Now func() time.Time
}

// leeway is how far the clocks of issuer and Windlass may differ.
const leeway = 30 * time.Second

// algorithms are the asymmetric ones: with a shared secret, every client could make tokens.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// claims are the checked claims.
type claims struct {
	jwt.Claims
	ClientID        string   `json:"client_id"`
	AuthorizedParty string   `json:"azp"`
	Scope           scopeSet `json:"scope"`
	Scp             scopeSet `json:"scp"` // what some issuers call it
}

// scopeSet is a list, or a text with blanks between the items.
type scopeSet []string

func (s *scopeSet) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*s = strings.Fields(text)
		return nil
	}
	var list []string
	err := json.Unmarshal(b, &list)
	*s = list
	return err
}

// Authenticate is Method's.
func (o *OAuth2) Authenticate(r *http.Request) (Identity, bool, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return Identity{}, false, nil
	}
	parsed, err := jwt.ParseSigned(strings.TrimSpace(token), algorithms)
	if err != nil {
		return Identity{}, true, &RefusalError{
			Malformed: true, Detail: "The bearer token is no JWT that is signed with a public key algorithm.", Err: err,
		}
	}
	var c claims
	more := map[string]json.RawMessage{}
	if err := o.Keys.verify(r.Context(), parsed, &c, &more); err != nil {
		return Identity{}, true, err
	}
	if err := o.check(c); err != nil {
		return Identity{}, true, err
	}
	i, err := o.identity(c, more)
	return i, true, err
}

// check checks the claims of a token whose signature is good.
func (o *OAuth2) check(c claims) error {
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	if c.Expiry == nil {
		return &RefusalError{Detail: "The bearer token never expires (it has no exp); Windlass refuses such tokens."}
	}
	err := c.ValidateWithLeeway(jwt.Expected{Issuer: o.Issuer, AnyAudience: jwt.Audience{o.Audience}, Time: now()}, leeway)
	if err == nil {
		return nil
	}
	detail := "The bearer token is not valid now."
	switch {
	case errors.Is(err, jwt.ErrExpired):
		detail = "The bearer token has expired."
	case errors.Is(err, jwt.ErrInvalidIssuer):
		detail = "The bearer token is from another issuer, which this server does not trust."
	case errors.Is(err, jwt.ErrInvalidAudience):
		detail = "The bearer token is not for this server: its audience is different."
	}
	return &RefusalError{Detail: detail, Err: err}
}

func (o *OAuth2) identity(c claims, more map[string]json.RawMessage) (Identity, error) {
	i := Identity{
		Client: "oauth2 ", Scopes: append(c.Scope, c.Scp...), Project: o.Project, Until: c.Expiry.Time().Add(leeway),
	}
	for _, name := range []string{c.ClientID, c.AuthorizedParty, c.Subject} {
		if name != "" {
			i.Client += name
			break
		}
	}
	if subject := c.Subject; subject != "" && !strings.HasSuffix(i.Client, subject) {
		i.Client += " for " + subject
	}
	var project string
	if claim, ok := more[o.ProjectClaim]; ok && json.Unmarshal(claim, &project) == nil && project != "" {
		i.Project = lcm.ProjectID(project)
	}
	if i.Project != "" {
		return i, nil
	}
	if i.May(Need{Access: Admin}) {
		i.Project = lcm.DefaultProject
		return i, nil
	}
	return i, &RefusalError{Unknown: true, Detail: "The bearer token names no project: it has no claim " + o.ProjectClaim +
		"."}
}

// Challenge is Method's (RFC 6750 clause 3).
func (o *OAuth2) Challenge(refused *RefusalError) string {
	switch {
	case refused == nil:
		return `Bearer realm="windlass"`
	case refused.Malformed:
		return `Bearer realm="windlass", error="invalid_request", error_description=` + quoted(refused.Detail)
	default:
		return `Bearer realm="windlass", error="invalid_token", error_description=` + quoted(refused.Detail)
	}
}
