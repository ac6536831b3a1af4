package openstack

import (
	"crypto/subtle"
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
	all := c.users()
	i := slices.IndexFunc(all, func(u User) bool {
		return n.ID == u.ID || n.ID == "" && n.Name == u.Name &&
			n.Domain.inDomain()
	})
	if i < 0 {
		return User{}, false
	}
	return all[i], true
}

// knows reports whether the password is the user's.
func (u User) knows(password string) bool {
	return !u.Disabled && u.PasswordHash != "" &&
		subtle.ConstantTimeCompare([]byte(hashOf(password)), []byte(u.PasswordHash)) == 1
}

func (rt *router) keystoneUsers() {
	c := rt.c
	rt.on(keystone, "GET /v3/users", c.listUsers)
	rt.on(keystone, "POST /v3/users", c.createUser)
	rt.on(keystone, "GET /v3/users/{id}", c.showUser)
	rt.on(keystone, "PATCH /v3/users/{id}", c.updateUser)
	rt.on(keystone, "DELETE /v3/users/{id}", c.deleteUser)
	rt.on(keystone, "POST /v3/users/{id}/password", c.changePassword)
	rt.on(keystone, "GET /v3/users/{id}/projects", c.listProjectsOf)
}

func userView(u User) object {
	view := object{
		"id": u.ID, "name": u.Name, "domain_id": domainID, "enabled": !u.Disabled, "options": object{}, "links": object{},
		"password_expires_at": nil,
	}
	for key, v := range map[string]string{
		"description": u.Description, "email": u.Email,
		"default_project_id": u.DefaultProject,
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

func (c *Cloud) listUsers(r *request) (reply, error) {
	if err := mayIdentify(r, "list_users"); err != nil {
		return reply{}, err
	}
	out := []object{}
	want := r.URL.Query().Get("name")
	for _, u := range c.users() {
		if want == "" || want == u.Name {
			out = append(out, userView(u))
		}
	}
	return ok(object{"users": out, "links": object{}})
}

func userNotFound(id string) error { return notFound("NotFound", "Could not find user: %s.", id) }

func (c *Cloud) showUser(r *request) (reply, error) {
	u, found := c.findUser(nameOrID{ID: r.PathValue("id")})
	if !found || u.ID != r.token.UserID && !r.token.Admin() {
		return reply{}, userNotFound(r.PathValue("id"))
	}
	return ok(object{"user": userView(u)})
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

func (c *Cloud) createUser(r *request) (reply, error) {
	var q userRequest
	err := mayIdentify(r, "create_user")
	if err == nil {
		err = r.decode("user", &q)
	}
	if err == nil {
		err = inDomain(q.Domain)
	}
	if err != nil {
		return reply{}, err
	}
	u := User{ID: hexID()}
	q.apply(&u)
	if u.Name == "" {
		return reply{}, badRequest("Invalid input for field 'name': None is not of type 'string'")
	}
	if err := c.putUser(u); err != nil {
		return reply{}, err
	}
	return created(object{"user": userView(u)})
}

// putUser stores a user, and refuses a name that another user has.
func (c *Cloud) putUser(u User) error {
	if other, taken := c.findUser(nameOrID{Name: u.Name}); taken && other.ID != u.ID {
		return conflict("Conflict", "Conflict occurred attempting to store user - Duplicate entry found with name %s at "+
			"domain ID default.", u.Name)
	}
	return state.Save(c.store, userTable, u.ID, u)
}

// made returns a user that administrators may change; the seed's users cannot change.
func (c *Cloud) made(id string) (User, error) {
	if u, found := state.Load(c.store, userTable, id); found {
		return u, nil
	}
	if _, seeded := c.findUser(nameOrID{ID: id}); seeded {
		return User{}, fail(http.StatusForbidden, "Forbidden", "The lab does not change the users admin and demo.")
	}
	return User{}, userNotFound(id)
}

func (c *Cloud) updateUser(r *request) (reply, error) {
	var q userRequest
	err := mayIdentify(r, "update_user")
	if err == nil {
		err = r.decode("user", &q)
	}
	if err != nil {
		return reply{}, err
	}
	u, err := c.made(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	q.apply(&u)
	if err := c.putUser(u); err != nil {
		return reply{}, err
	}
	if q.Password != nil || u.Disabled {
		err = c.revokeAll(func(t Token) bool { return t.UserID == u.ID })
	}
	return reply{status: http.StatusOK, body: object{"user": userView(u)}}, err
}

// deleteUser also ends the user's tokens, application credentials and roles.
func (c *Cloud) deleteUser(r *request) (reply, error) {
	if err := mayIdentify(r, "delete_user"); err != nil {
		return reply{}, err
	}
	u, err := c.made(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	err = c.store.Update(func(tx *state.Tx) error {
		for _, cred := range credentials.All(tx) {
			if cred.UserID != u.ID {
				continue
			}
			if err := credentials.Delete(tx, cred.ID); err != nil {
				return err
			}
		}
		if err := grants.DeletePrefix(tx, u.ID+"/"); err != nil {
			return err
		}
		return userTable.Delete(tx, u.ID)
	})
	if err == nil {
		err = c.revokeAll(func(t Token) bool { return t.UserID == u.ID })
	}
	return reply{status: http.StatusNoContent}, err
}

// revokeAll ends tokens.
func (c *Cloud) revokeAll(which func(Token) bool) error {
	return c.store.Update(func(tx *state.Tx) error {
		for _, t := range tokens.All(tx) {
			if !which(t) {
				continue
			}
			if err := tokens.Delete(tx, t.Key); err != nil {
				return err
			}
		}
		return nil
	})
}

// changePassword changes a user's own password; the request must have the old one.
func (c *Cloud) changePassword(r *request) (reply, error) {
	var q struct {
		Password string `json:"password"`
		Original string `json:"original_password"`
	}
	if err := r.decode("user", &q); err != nil {
		return reply{}, err
	}
	if r.PathValue("id") != r.token.UserID {
		return reply{}, fail(http.StatusForbidden, "Forbidden",
			"You are not authorized to perform the requested action: identity:change_password.")
	}
	u, err := c.made(r.PathValue("id"))
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
	return reply{status: http.StatusNoContent}, c.revokeAll(func(t Token) bool { return t.UserID == u.ID })
}
