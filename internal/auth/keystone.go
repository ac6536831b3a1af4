package auth

import (
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Keystone authenticates by tokens that OpenStack's Keystone has issued (X-Auth-Token), which it asks about them. The project
// is that of the token.
type Keystone struct {
	// URL is Keystone's, such as https://keystone.example/v3.
	URL string
	// The service user may validate tokens of others.
	Username, Password, UserDomain, Project, ProjectDomain string
	// Roles are those that let their owner read, write, and administer.
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
}

const (
	// goodFor is how long a token is taken without asking again, if it lives so long: a revoked one is, too.
	goodFor = 5 * time.Minute
	// badFor is how long a token is refused without asking again; a bad one never becomes good.
	badFor = time.Minute
	// mostTokens bounds each of the caches.
	mostTokens = 10_000
	// loginPause is between two tries to log the service user in: requests must not queue up while Keystone is away.
	loginPause = 3 * time.Second
	// keystoneTimeout bounds one request to Keystone.
	keystoneTimeout = 10 * time.Second
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
	// Not the client's: what was begun for it is good for its next request, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), keystoneTimeout)
	defer cancel()
	found, err := k.validate(ctx, token)
	if err != nil {
		return Identity{}, true, err
	}
	if found.refusal != nil && !found.refusal.Unknown {
		found.until = now.Add(badFor)
		k.bad.put(key, found, now)
	} else {
		k.good.put(key, found, now)
	}
	return found.identity, true, found.err()
}

func (k *Keystone) now() time.Time {
	if k.Now != nil {
		return k.Now()
	}
	return time.Now()
}

// validated is what Keystone has said of a token.
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
		return validated{}, lcm.Wrap(lcm.KindUnavailable, answer.Err, "Keystone does not tell whether the token is good. Try again.")
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
		return validated{}, lcm.Wrap(lcm.KindUnavailable, err, "Keystone's answer about the token is not understood.")
	}
	v := validated{until: k.now().Add(goodFor), identity: Identity{Client: "keystone " + told.User.Domain.Name + "/" + told.User.Name}}
	if told.Expires.Before(v.until) {
		v.until = told.Expires
	}
	if told.Project != nil {
		v.identity.Project = lcm.ProjectID(told.Project.ID)
	}
	v.identity.Scopes = k.scopes(told.Roles)
	admin := v.identity.May(Need{Access: Admin})
	switch {
	case len(v.identity.Scopes) == 0:
		v.refusal = &RefusalError{Unknown: true, Detail: "The token's user has no role in its project that lets it use this server."}
	case v.identity.Project == "" && !admin:
		v.refusal = &RefusalError{Unknown: true, Detail: "The token is for no project. Get one that is scoped to a project."}
	case v.identity.Project == "":
		v.identity.Project = lcm.DefaultProject
	}
	return v, nil
}

// scopes are what the roles of a user let it do.
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
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.service == nil && k.now().Sub(k.tried) >= loginPause {
		k.service, k.failed = k.login(ctx)
		k.tried = k.now()
	}
	if k.service == nil {
		return nil, lcm.Wrap(lcm.KindUnavailable, k.failed, "Windlass cannot log in to Keystone with its service user. Try again.")
	}
	return k.service, nil
}

func (k *Keystone) login(ctx context.Context) (*gophercloud.ServiceClient, error) {
	provider, err := openstack.NewClient(k.URL)
	if err != nil {
		return nil, err
	}
	provider.HTTPClient = *k.HTTP
	err = openstack.Authenticate(ctx, provider, gophercloud.AuthOptions{
		IdentityEndpoint: k.URL, Username: k.Username, Password: k.Password, DomainName: k.UserDomain, AllowReauth: true,
		Scope: &gophercloud.AuthScope{ProjectName: k.Project, DomainName: k.ProjectDomain},
	})
	if err != nil {
		return nil, err
	}
	// The URL of the settings, not the catalog's: it is the one that this host reaches.
	endpoint := gophercloud.NormalizeURL(k.URL)
	if !strings.HasSuffix(endpoint, "/v3/") {
		endpoint += "v3/"
	}
	return &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: endpoint}, nil
}

// Challenge is Method's, in the words of OpenStack's own middleware.
func (k *Keystone) Challenge(*RefusalError) string { return "Keystone uri=" + quoted(k.URL) }

// tokenCache keeps what is known of tokens, by their hashes.
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
		for other, old := range c.of { // what is over, and if that is nothing, any one
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
