package auth

import (
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"golang.org/x/sync/singleflight"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// Keystone authenticates by tokens of OpenStack's Keystone (X-Auth-Token): it asks Keystone about them. The client's
// project is the token's project.
type Keystone struct {
	// URL is Keystone's URL, such as https://keystone.example/v3.
	URL string
	// The service user may validate tokens of others.
	Username, Password, UserDomain, Project, ProjectDomain string
	// ReadRoles, WriteRoles and AdminRoles let a user read, write, and administer.
	ReadRoles, WriteRoles, AdminRoles []string
	HTTP                              *http.Client
	// Now is the clock; nil: the system's.
	Now func() time.Time

	mu      sync.Mutex
	service *gophercloud.ServiceClient // nil until Keystone was reached
	tried   time.Time                  // when it was not
	failed  error                      // and why
	good    tokenCache
	bad     tokenCache
	// flights are the running requests to Keystone: requests with the same token share one.
	flights singleflight.Group
	// places is full when mostQuestions are under way.
	places     chan struct{}
	makePlaces sync.Once
}

const (
	// goodFor is how long an accepted token is cached, if it lives so long. A revoked token is accepted for that time,
	// too.
	goodFor = 5 * time.Minute
	// badFor is how long a refused token is cached; a bad token never becomes good.
	badFor = time.Minute
	// mostTokens bounds each of the caches.
	mostTokens = 10_000
	// loginPause is the pause between two logins of the service user: requests must not queue up while Keystone is away.
	loginPause = 3 * time.Second
	// keystoneTimeout bounds one request to Keystone.
	keystoneTimeout = 10 * time.Second
	// mostQuestions bounds the tokens about which Keystone is asked at the same time.
	mostQuestions = 32
)

// Authenticate is Method's.
func (k *Keystone) Authenticate(r *http.Request) (Identity, bool, error) {
	token := r.Header.Get("X-Auth-Token")
	if token == "" {
		return Identity{}, false, nil
	}
	now, key := k.now(), sha256.Sum256([]byte(token))
	if c, ok := k.bad.get(key, now); ok {
		return Identity{}, true, c.refusal
	}
	if c, ok := k.good.get(key, now); ok {
		return c.identity, true, c.err()
	}
	found, err := k.lookUp(r.Context(), token, key)
	if err != nil {
		return Identity{}, true, err
	}
	return found.identity, true, found.err()
}

// lookUp asks Keystone about a token that is not cached, once for all requests with that token.
func (k *Keystone) lookUp(ctx context.Context, token string, key [sha256.Size]byte) (validated, error) {
	if err := beginLookup(ctx); err != nil {
		return validated{}, err
	}
	// This is not the client's context: the result also serves the client's next request.
	others := context.WithoutCancel(ctx)
	answer, err := wait(ctx, k.flights.DoChan(string(key[:]), func() (any, error) {
		found, err := k.ask(others, token)
		if err == nil {
			k.keep(key, found)
		}
		return found, err
	}))
	if err != nil {
		return validated{}, err
	}
	return answer.(validated), nil
}

// wait waits for a flight's result, but not longer than ctx lasts.
func wait(ctx context.Context, flight <-chan singleflight.Result) (any, error) {
	select {
	case r := <-flight:
		return r.Val, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask asks Keystone about a token as soon as there is a place for the question.
func (k *Keystone) ask(ctx context.Context, token string) (validated, error) {
	ctx, cancel := context.WithTimeout(ctx, keystoneTimeout)
	defer cancel()
	k.makePlaces.Do(func() { k.places = make(chan struct{}, mostQuestions) })
	select {
	case k.places <- struct{}{}:
		defer func() { <-k.places }()
	case <-ctx.Done():
		return validated{}, lcm.Wrap(lcm.KindUnavailable, ctx.Err(),
			"Windlass has too many tokens to check at Keystone now. Try again.")
	}
	return k.validate(ctx, token)
}

// keep caches Keystone's answer.
func (k *Keystone) keep(key [sha256.Size]byte, found validated) {
	now := k.now()
	if found.refusal != nil && !found.refusal.Unknown {
		found.until = now.Add(badFor)
		k.bad.put(key, found, now)
		return
	}
	k.good.put(key, found, now)
}

func (k *Keystone) now() time.Time {
	if k.Now != nil {
		return k.Now()
	}
	return time.Now()
}

// validated is Keystone's answer about a token.
type validated struct {
	identity Identity
	refusal  *RefusalError // nil: it is good
	until    time.Time
}

// err avoids a nil *RefusalError in an error that is not nil.
func (v validated) err() error {
	if v.refusal == nil {
		return nil
	}
	return v.refusal
}

// validate asks Keystone about a token.
func (k *Keystone) validate(ctx context.Context, token string) (validated, error) {
	service, err := k.connect(ctx)
	if err != nil {
		return validated{}, err
	}
	answer := tokens.Get(ctx, service, token)
	switch {
	case gophercloud.ResponseCodeIs(answer.Err, http.StatusNotFound):
		return validated{refusal: &RefusalError{Detail: "Keystone does not know the token, or it has expired."}}, nil
	case answer.Err != nil:
		return validated{}, lcm.Wrap(lcm.KindUnavailable, answer.Err,
			"Keystone did not answer whether the token is valid. Try again.")
	}
	return k.read(answer)
}

// read makes an identity of Keystone's answer.
func (k *Keystone) read(answer tokens.GetResult) (validated, error) {
	var told struct {
		Expires time.Time       `json:"expires_at"`
		User    tokens.User     `json:"user"`
		Project *tokens.Project `json:"project"`
		Roles   []tokens.Role   `json:"roles"`
	}
	if err := answer.ExtractInto(&told); err != nil {
		return validated{}, lcm.Wrap(lcm.KindUnavailable, err, "Windlass does not understand Keystone's answer about "+
			"the token.")
	}
	v := validated{until: k.now().Add(goodFor), identity: Identity{Client: "keystone " + told.User.Domain.Name + "/" +
		told.User.Name}}
	if told.Expires.Before(v.until) {
		v.until = told.Expires
	}
	v.identity.Until = told.Expires
	if told.Project != nil {
		v.identity.Project = lcm.ProjectID(told.Project.ID)
	}
	v.identity.Scopes = k.scopes(told.Roles)
	admin := v.identity.May(Need{Access: Admin})
	switch {
	case len(v.identity.Scopes) == 0:
		v.refusal = &RefusalError{
			Unknown: true,
			Detail:  "The token's user has no role in its project that allows the use of this server.",
		}
	case v.identity.Project == "" && !admin:
		v.refusal = &RefusalError{Unknown: true, Detail: "The token is for no project. Get one that is scoped to a project."}
	case v.identity.Project == "":
		v.identity.Project = lcm.DefaultProject
	}
	return v, nil
}

// scopes are the scopes that a user's roles grant.
func (k *Keystone) scopes(roles []tokens.Role) []string {
	var out []string
	for _, grant := range []struct {
		roles []string
		scope string
	}{{k.ReadRoles, ScopeRead}, {k.WriteRoles, ScopeWrite}, {k.AdminRoles, ScopeAdmin}} {
		if slices.ContainsFunc(roles, func(r tokens.Role) bool { return slices.Contains(grant.roles, r.Name) }) {
			out = append(out, grant.scope)
		}
	}
	return out
}

// connect logs the service user in when that was not done yet; its token is renewed by gophercloud.
func (k *Keystone) connect(ctx context.Context) (*gophercloud.ServiceClient, error) {
	if service, known, err := k.connected(); known {
		return service, err
	}
	others := context.WithoutCancel(ctx)
	service, err := wait(ctx, k.flights.DoChan("login", func() (any, error) {
		if service, known, err := k.connected(); known { // since a moment ago
			return service, err
		}
		ctx, cancel := context.WithTimeout(others, keystoneTimeout)
		defer cancel()
		service, err := k.login(ctx)
		k.mu.Lock()
		k.service, k.failed, k.tried = service, err, k.now()
		k.mu.Unlock()
		return service, loginError(err)
	}))
	if err != nil {
		return nil, err
	}
	return service.(*gophercloud.ServiceClient), nil
}

// connected returns the known state without a request: a service, or a failure a moment ago.
func (k *Keystone) connected() (service *gophercloud.ServiceClient, known bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.service == nil && k.now().Sub(k.tried) < loginPause {
		return nil, true, loginError(k.failed)
	}
	return k.service, k.service != nil, nil
}

func loginError(err error) error {
	if err == nil {
		return nil
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "Windlass cannot log in to Keystone with its service user. Try again.")
}

func (k *Keystone) login(ctx context.Context) (*gophercloud.ServiceClient, error) {
	provider, err := openstack.NewClient(k.URL)
	if err != nil {
		return nil, err
	}
	provider.HTTPClient = *k.HTTP
	if provider.HTTPClient.Transport == nil {
		provider.HTTPClient.Transport = http.DefaultTransport
	}
	provider.HTTPClient.Transport = outbound.Limit(provider.HTTPClient.Transport, "Keystone", outbound.Guard{})
	provider.HTTPClient.CheckRedirect = outbound.StayThere("Keystone")
	err = openstack.Authenticate(ctx, provider, gophercloud.AuthOptions{
		IdentityEndpoint: k.URL, Username: k.Username, Password: k.Password, DomainName: k.UserDomain, AllowReauth: true,
		Scope: &gophercloud.AuthScope{ProjectName: k.Project, DomainName: k.ProjectDomain},
	})
	if err != nil {
		return nil, err
	}
	// The URL of the settings, not the catalog's: this host can reach it.
	return &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: k.endpoint()}, nil
}

// Challenge is Method's, in the words of OpenStack's own middleware.
func (k *Keystone) Challenge(*RefusalError) string { return "Keystone uri=" + quoted(k.URL) }

// tokenCache caches the answers about tokens, by the tokens' hashes.
type tokenCache struct {
	mu sync.Mutex
	of map[[sha256.Size]byte]validated
}

func (c *tokenCache) get(key [sha256.Size]byte, now time.Time) (validated, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.of[key]
	if ok && !now.Before(v.until) {
		delete(c.of, key)
		return validated{}, false
	}
	return v, ok
}

func (c *tokenCache) put(key [sha256.Size]byte, v validated, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[[sha256.Size]byte]validated{}
	}
	if len(c.of) >= mostTokens {
		for other, old := range c.of { // first expired entries, else any entry
			if !now.Before(old.until) {
				delete(c.of, other)
			}
		}
		for other := range c.of {
			if len(c.of) < mostTokens {
				break
			}
			delete(c.of, other)
		}
	}
	c.of[key] = v
}
