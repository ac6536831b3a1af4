package openstack

import (
	"net/http"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// issueToken handles POST /v3/auth/tokens.
func (c *Cloud) issueToken(r *request) (reply, error) {
	var req authRequest
	if err := r.decode("auth", &req); err != nil {
		return reply{}, err
	}
	t, err := c.identify(req)
	if err != nil {
		return reply{}, err
	}
	if err := c.scope(&t, req); err != nil {
		return reply{}, err
	}
	t.AuditID, t.Issued = randomHex(11), c.now()
	if t.Expires.IsZero() {
		t.Expires = t.Issued.Add(c.cfg.TokenLifetime)
	}
	value := "gAAAAAB" + randomHex(88)
	err = c.store.Update(func(tx *state.Tx) error {
		if err := c.sweep(tx); err != nil {
			return err
		}
		t.Key = hashOf(value)
		return tokens.Put(tx, t.Key, t)
	})
	if err != nil {
		return reply{}, err
	}
	return reply{
		status: http.StatusCreated, body: object{"token": c.tokenView(t)},
		header: map[string]string{"X-Subject-Token": value},
	}, nil
}

// sweep drops tokens that expired a while ago.
func (c *Cloud) sweep(tx *state.Tx) error {
	for _, t := range tokens.All(tx) {
		if c.now().Sub(t.Expires) < time.Hour {
			continue
		}
		if err := tokens.Delete(tx, t.Key); err != nil {
			return err
		}
	}
	return nil
}

// scope sets the token's scope.
func (c *Cloud) scope(t *Token, req authRequest) error {
	if t.AppCredID != "" {
		cred, ok := state.Load(c.store, credentials, t.AppCredID)
		if !ok || req.Scope != nil && req.Identity.Methods[0] == "application_credential" {
			return unauthorized()
		}
		t.ProjectID, t.Project, t.Roles = cred.ProjectID, cred.Project, cred.Roles
		return nil
	}
	switch {
	case req.Scope == nil:
		return nil
	case req.Scope.Project != nil:
		p, found := c.findProject(*req.Scope.Project)
		if !found || p.Disabled {
			return unauthorized()
		}
		if t.Roles = c.rolesOf(t.UserID, p.ID); t.Roles == nil {
			return unauthorized()
		}
		t.ProjectID, t.Project = p.ID, p.Name
		return nil
	case req.Scope.Domain != nil && req.Scope.Domain.inDomain() && t.UserName == "admin":
		t.DomainID, t.Roles = domainID, implied["admin"]
		return nil
	default:
		return unauthorized()
	}
}

func (c *Cloud) tokenView(t Token) object {
	view := object{
		"methods": t.Methods, "audit_ids": []string{t.AuditID}, "issued_at": keystoneTime(t.Issued),
		"expires_at": keystoneTime(t.Expires),
		"user": object{
			"id": t.UserID, "name": t.UserName, "domain": object{"id": domainID, "name": "Default"},
			"password_expires_at": nil,
		},
		"is_domain": false,
	}
	if t.Roles != nil {
		list := []object{}
		for _, role := range t.Roles {
			list = append(list, object{"id": c.roleID(role), "name": role})
		}
		view["roles"] = list
	}
	switch {
	case t.ProjectID != "":
		view["project"] = object{"id": t.ProjectID, "name": t.Project, "domain": object{"id": domainID, "name": "Default"}}
		view["catalog"] = c.catalog(t.ProjectID)
	case t.DomainID != "":
		view["domain"] = object{"id": domainID, "name": "Default"}
		view["catalog"] = c.catalog("")
	}
	if t.AppCredID != "" {
		view["application_credential"] = object{"id": t.AppCredID, "restricted": true}
	}
	return view
}

func keystoneTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
