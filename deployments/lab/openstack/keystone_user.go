package openstack

import (
	"crypto/subtle"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// User is a user that administrators have made; the seed has the first two, admin and demo.
type User struct {
	ID, Name, Description, Email, DefaultProject string
	// PasswordHash is "" for a user who cannot log in by password.
	PasswordHash string
	Disabled     bool
}

// userTable are the users other than the seed's.
const userTable = state.Table[User]("keystone_users")

// users returns all users, ordered by name.
func (c *Cloud) users() []User {
	var out []User
	for _, name := range slices.Sorted(maps.Keys(c.seed.Users)) {
		out = append(out, User{ID: c.seed.Users[name], Name: name, PasswordHash: hashOf(c.passwordOf(name))})
	}
	return append(out, state.LoadAll(c.store, userTable, "")...)
}

// findUser finds a user by id, or by name in the only domain.
func (c *Cloud) findUser(n nameOrID) (User, bool) {
	return first(c.users(), func(u User) bool { return n.names(u.ID, u.Name) })
}

// knows reports whether the password is the user's.
func (u User) knows(password string) bool {
	return !u.Disabled && u.PasswordHash != "" &&
		subtle.ConstantTimeCompare([]byte(hashOf(password)), []byte(u.PasswordHash)) == 1
}

func (rt *router) keystoneUsers() {
	c := rt.c
	admin := func(action string, h handler) handler { return restricted(mayIdentify, action, h) }
	rt.on(keystone, "GET /v3/users", admin("list_users", c.listUsers))
	rt.on(keystone, "POST /v3/users", admin("create_user", given("user", c.createUser)))
	rt.on(keystone, "GET /v3/users/{id}", show("user", c.user, userView))
	rt.on(keystone, "PATCH /v3/users/{id}", admin("update_user", withGiven(c.madeUser, "user", c.updateUser)))
	rt.on(keystone, "DELETE /v3/users/{id}", admin("delete_user", with(c.madeUser, c.deleteUser)))
	rt.on(keystone, "POST /v3/users/{id}/password", given("user", c.changePassword))
	rt.on(keystone, "GET /v3/users/{id}/projects", c.listProjectsOf)
}

func userView(u User) object {
	view := object{
		"id": u.ID, "name": u.Name, "domain_id": domainID, "enabled": !u.Disabled, "options": object{}, "links": object{},
		"password_expires_at": nil,
	}
	for key, v := range map[string]string{
		"description": u.Description, "email": u.Email, "default_project_id": u.DefaultProject,
	} {
		if v != "" {
			view[key] = v
		}
	}
	return view
}

// mayIdentify refuses an action on users to callers who are not administrators.
func mayIdentify(r *request, action string) error {
	if r.token.Admin() {
		return nil
	}
	return fail(http.StatusForbidden, "Forbidden", "You are not authorized to perform the requested action: identity:%s.",
		action)
}

// wants reports whether a listing of users, projects or roles wants a name.
func wants(r *request, name string) bool {
	want := r.URL.Query().Get("name")
	return want == "" || want == name
}

func (c *Cloud) listUsers(r *request) (reply, error) {
	shown := func(u User) bool { return wants(r, u.Name) }
	return ok(object{"users": views(c.users(), shown, userView), "links": object{}})
}

func userNotFound(id string) error { return notFound("NotFound", "Could not find user: %s.", id) }

func (c *Cloud) user(r *request) (User, error) {
	u, found := c.findUser(nameOrID{ID: r.PathValue("id")})
	if !found || u.ID != r.token.UserID && !r.token.Admin() {
		return u, userNotFound(r.PathValue("id"))
	}
	return u, nil
}

type userRequest struct {
	Name           *string `json:"name"`
	Password       *string `json:"password"`
	Description    *string `json:"description"`
	Email          *string `json:"email"`
	DefaultProject *string `json:"default_project_id"`
	Enabled        *bool   `json:"enabled"`
	Domain         *string `json:"domain_id"`
}

func (q userRequest) apply(u *User) {
	set(&u.Name, q.Name)
	set(&u.Description, q.Description)
	set(&u.Email, q.Email)
	set(&u.DefaultProject, q.DefaultProject)
	if q.Password != nil {
		u.PasswordHash = hashOf(*q.Password)
	}
	if q.Enabled != nil {
		u.Disabled = !*q.Enabled
	}
}

// inDomain refuses a domain that is not the only one.
func inDomain(id *string) error {
	if id == nil || *id == domainID {
		return nil
	}
	return notFound("NotFound", "Could not find domain: %s.", *id)
}

// errNoName is Keystone's answer to a user, project or role without a name.
var errNoName = badRequest("Invalid input for field 'name': None is not of type 'string'")

func (c *Cloud) createUser(_ *request, q userRequest) (reply, error) {
	if err := inDomain(q.Domain); err != nil {
		return reply{}, err
	}
	u := User{ID: hexID()}
	q.apply(&u)
	if u.Name == "" {
		return reply{}, errNoName
	}
	return one(http.StatusCreated, "user", userView(u), c.putUser(u))
}

// putUser stores a user, and refuses a name that another user has.
func (c *Cloud) putUser(u User) error {
	if other, taken := c.findUser(nameOrID{Name: u.Name}); taken && other.ID != u.ID {
		return conflict("Conflict", "Conflict occurred attempting to store user - Duplicate entry found with name %s at "+
			"domain ID default.", u.Name)
	}
	return state.Save(c.store, userTable, u.ID, u)
}

// madeUser returns a user that administrators may change; the seed's users cannot change.
func (c *Cloud) madeUser(r *request) (User, error) {
	id := r.PathValue("id")
	if u, found := state.Load(c.store, userTable, id); found {
		return u, nil
	}
	if _, seeded := c.findUser(nameOrID{ID: id}); seeded {
		return User{}, fail(http.StatusForbidden, "Forbidden", "The lab does not change the users admin and demo.")
	}
	return User{}, userNotFound(id)
}

func (c *Cloud) updateUser(_ *request, u User, q userRequest) (reply, error) {
	q.apply(&u)
	err := c.putUser(u)
	if err == nil && (q.Password != nil || u.Disabled) {
		err = c.revokeAll(func(t Token) bool { return t.UserID == u.ID })
	}
	return one(http.StatusOK, "user", userView(u), err)
}

// deleteUser also ends the user's tokens, application credentials and roles.
func (c *Cloud) deleteUser(_ *request, u User) (reply, error) {
	return empty(http.StatusNoContent, c.store.Update(func(tx *state.Tx) error {
		return errors.Join(
			deleteIf(tx, credentials, func(cred AppCredential) (string, bool) { return cred.ID, cred.UserID == u.ID }),
			grants.DeletePrefix(tx, u.ID+"/"),
			userTable.Delete(tx, u.ID),
			revoke(tx, func(t Token) bool { return t.UserID == u.ID }),
		)
	}))
}

// deleteIf deletes the documents of a table for which which returns true, together with their key.
func deleteIf[T any](tx *state.Tx, table state.Table[T], which func(T) (key string, is bool)) error {
	for _, v := range table.All(tx) {
		if key, is := which(v); is {
			if err := table.Delete(tx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// revoke ends tokens.
func revoke(tx *state.Tx, which func(Token) bool) error {
	return deleteIf(tx, tokens, func(t Token) (string, bool) { return t.Key, which(t) })
}

// revokeAll is revoke in a transaction of its own.
func (c *Cloud) revokeAll(which func(Token) bool) error {
	return c.store.Update(func(tx *state.Tx) error { return revoke(tx, which) })
}

type passwordChange struct {
	Password string `json:"password"`
	Original string `json:"original_password"`
}

// changePassword changes a user's own password; the request must have the old one.
func (c *Cloud) changePassword(r *request, q passwordChange) (reply, error) {
	if r.PathValue("id") != r.token.UserID {
		return reply{}, fail(http.StatusForbidden, "Forbidden",
			"You are not authorized to perform the requested action: identity:change_password.")
	}
	u, err := c.madeUser(r)
	if err != nil {
		return reply{}, err
	}
	if !u.knows(q.Original) {
		return reply{}, unauthorized()
	}
	u.PasswordHash = hashOf(q.Password)
	if err := c.putUser(u); err != nil {
		return reply{}, err
	}
	return empty(http.StatusNoContent, c.revokeAll(func(t Token) bool { return t.UserID == u.ID }))
}
