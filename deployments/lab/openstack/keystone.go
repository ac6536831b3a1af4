package openstack

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Token is an issued token; the store's key is the hash of its value.
type Token struct {
	Key       string
	UserID    string
	UserName  string
	ProjectID string // "" when not scoped to a project
	Project   string
	DomainID  string // set when scoped to the domain
	Roles     []string
	Methods   []string
	AppCredID string
	AuditID   string
	Issued    time.Time
	Expires   time.Time
}

// Admin reports whether the token carries the role admin.
func (t *Token) Admin() bool { return slices.Contains(t.Roles, "admin") }

// AppCredential is an application credential; only a hash of its secret is kept.
type AppCredential struct {
	ID           string
	Name         string
	Description  string
	UserID       string
	UserName     string
	ProjectID    string
	Project      string
	Roles        []string
	SecretHash   string
	Unrestricted bool
	Expires      time.Time // zero: never
}

const (
	tokens      = state.Table[Token]("keystone_tokens")
	credentials = state.Table[AppCredential]("keystone_application_credentials")
)

const domainID = "default"

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func unauthorized() *apiError {
	return fail(http.StatusUnauthorized, "Unauthorized", "The request you have made requires authentication.")
}

// authenticate finds the token of a request.
func (c *Cloud) authenticate(value string) (Token, error) {
	if value == "" {
		return Token{}, unauthorized()
	}
	t, found := state.Load(c.store, tokens, hashOf(value))
	if !found || !c.now().Before(t.Expires) {
		return Token{}, unauthorized()
	}
	return t, nil
}

type nameOrID struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Domain *nameOrID `json:"domain"`
}

// inDomain reports whether the request names no domain or the only domain.
func (n *nameOrID) inDomain() bool {
	return n == nil || n.ID == domainID || n.ID == "" && (n.Name == "" || strings.EqualFold(n.Name, "Default"))
}

// names reports whether it is the object with this id or, without an id, with this name in the only domain.
func (n nameOrID) names(id, name string) bool {
	return n.ID == id || n.ID == "" && n.Name == name && n.Domain.inDomain()
}

type authRequest struct {
	Identity struct {
		Methods  []string `json:"methods"`
		Password struct {
			User struct {
				nameOrID
				Password string `json:"password"`
			} `json:"user"`
		} `json:"password"`
		Token struct {
			ID string `json:"id"`
		} `json:"token"`
		AppCred struct {
			nameOrID
			Secret string    `json:"secret"`
			User   *nameOrID `json:"user"`
		} `json:"application_credential"`
	} `json:"identity"`
	Scope *struct {
		Project *nameOrID `json:"project"`
		Domain  *nameOrID `json:"domain"`
	} `json:"scope"`
}

// identify authenticates the user of a request.
func (c *Cloud) identify(req authRequest) (Token, error) {
	if len(req.Identity.Methods) != 1 {
		return Token{}, badRequest("Expecting to find one method in identity.methods.")
	}
	switch method := req.Identity.Methods[0]; method {
	case "password":
		given := req.Identity.Password.User
		user, found := c.findUser(given.nameOrID)
		if !found || !user.knows(given.Password) {
			return Token{}, unauthorized()
		}
		return Token{UserID: user.ID, UserName: user.Name, Methods: []string{"password"}}, nil
	case "token":
		t, err := c.authenticate(req.Identity.Token.ID)
		if err != nil {
			return Token{}, err
		}
		// A token that was issued for a token does not live longer than the first one.
		return Token{
			UserID: t.UserID, UserName: t.UserName, AppCredID: t.AppCredID,
			Methods: appendMissing(t.Methods, "token"), Expires: t.Expires,
		}, nil
	case "application_credential":
		return c.identifyByCredential(req)
	default:
		return Token{}, unauthorized()
	}
}

func appendMissing(list []string, v string) []string {
	if slices.Contains(list, v) {
		return list
	}
	return append(slices.Clone(list), v)
}

func (c *Cloud) passwordOf(user string) string {
	if user == "admin" {
		return c.cfg.AdminPassword
	}
	return c.cfg.DemoPassword
}

func (c *Cloud) identifyByCredential(req authRequest) (Token, error) {
	given := req.Identity.AppCred
	for _, cred := range state.LoadAll(c.store, credentials, "") {
		byName := given.ID == "" && given.Name == cred.Name && given.User != nil &&
			(given.User.ID == cred.UserID || given.User.Name == cred.UserName)
		if cred.ID != given.ID && !byName {
			continue
		}
		if subtle.ConstantTimeCompare([]byte(hashOf(given.Secret)), []byte(cred.SecretHash)) != 1 ||
			!cred.Expires.IsZero() && !c.now().Before(cred.Expires) {
			return Token{}, unauthorized()
		}
		return Token{
			UserID: cred.UserID, UserName: cred.UserName, AppCredID: cred.ID, Methods: []string{"application_credential"},
			ProjectID: cred.ProjectID, Project: cred.Project, Roles: cred.Roles,
		}, nil
	}
	return Token{}, notFound("NotFound", "Could not find Application Credential: %s.", cmp.Or(given.ID, given.Name))
}
