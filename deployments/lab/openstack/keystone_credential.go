package openstack

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func (c *Cloud) credentialView(cred AppCredential) object {
	list := []object{}
	for _, role := range cred.Roles {
		list = append(list, object{"id": c.roleID(role), "name": role, "domain_id": nil})
	}
	var expires any
	if !cred.Expires.IsZero() {
		expires = cred.Expires.Format("2006-01-02T15:04:05.000000")
	}
	return object{
		"id": cred.ID, "name": cred.Name, "description": cred.Description, "project_id": cred.ProjectID,
		"user_id": cred.UserID,
		"roles":   list, "expires_at": expires, "unrestricted": cred.Unrestricted, "links": object{},
	}
}

type credentialRequest struct {
	Name         string  `json:"name"`
	Description  string  `json:"description"`
	Secret       string  `json:"secret"`
	ExpiresAt    *string `json:"expires_at"`
	Unrestricted bool    `json:"unrestricted"`
	Roles        []Role  `json:"roles"`
}

func (c *Cloud) createCredential(r *request, req credentialRequest) (reply, error) {
	if r.PathValue("id") != r.token.UserID || r.token.AppCredID != "" || r.token.ProjectID == "" {
		return reply{}, fail(http.StatusForbidden, "Forbidden",
			"You are not authorized to perform the requested action: identity:create_application_credential.")
	}
	if req.Name == "" {
		return reply{}, errNoName
	}
	cred := AppCredential{
		ID: hexID(), Name: req.Name, Description: req.Description, UserID: r.token.UserID, UserName: r.token.UserName,
		ProjectID: r.token.ProjectID, Project: r.token.Project, Roles: r.token.Roles, Unrestricted: req.Unrestricted,
	}
	if len(req.Roles) > 0 {
		cred.Roles = slices.DeleteFunc(slices.Clone(r.token.Roles), func(have string) bool {
			return !slices.ContainsFunc(req.Roles,
				func(want Role) bool { return want.Name == have || want.ID == c.roleID(have) })
		})
	}
	if req.ExpiresAt != nil {
		at, err := parseTime(*req.ExpiresAt)
		if err != nil {
			return reply{}, badRequest("Invalid input for field 'expires_at': %s", *req.ExpiresAt)
		}
		cred.Expires = at
	}
	secret := cmp.Or(req.Secret, randomHex(32))
	cred.SecretHash = hashOf(secret)
	for _, other := range state.LoadAll(c.store, credentials, "") {
		if other.UserID == cred.UserID && other.Name == cred.Name {
			return reply{}, conflict("Conflict",
				"Conflict occurred attempting to store application_credential - Duplicate entry found with name %s.", cred.Name)
		}
	}
	view := c.credentialView(cred)
	view["secret"] = secret
	return one(http.StatusCreated, "application_credential", view, state.Save(c.store, credentials, cred.ID, cred))
}

func parseTime(s string) (time.Time, error) {
	var err error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02T15:04:05"} {
		var t time.Time
		if t, err = time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, err
}

func (c *Cloud) listCredentials(r *request) (reply, error) {
	own := func(cred AppCredential) bool {
		return cred.UserID == r.token.UserID && cred.UserID == r.PathValue("id")
	}
	out := views(state.LoadAll(c.store, credentials, ""), own, c.credentialView)
	return ok(object{"application_credentials": out, "links": object{}})
}

func (c *Cloud) ownCredential(r *request) (AppCredential, error) {
	cred, found := state.Load(c.store, credentials, r.PathValue("cred"))
	if !found || cred.UserID != r.token.UserID {
		return cred, notFound("NotFound", "Could not find Application Credential: %s.", r.PathValue("cred"))
	}
	return cred, nil
}

// deleteCredential also ends the tokens that were issued for it.
func (c *Cloud) deleteCredential(_ *request, cred AppCredential) (reply, error) {
	return empty(http.StatusNoContent, c.store.Update(func(tx *state.Tx) error {
		return errors.Join(
			revoke(tx, func(t Token) bool { return t.AppCredID == cred.ID }),
			credentials.Delete(tx, cred.ID),
		)
	}))
}
