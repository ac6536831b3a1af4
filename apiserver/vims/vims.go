package vims

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
)

// Routes are the routes of Tacker's VIM registry, so that Tacker's command line works: below /v1.0, with or without
// ".json".
func (h *Handler) Routes() []rest.Route {
	return []rest.Route{
		rest.Post("/vims", h.createVim),
		rest.Post("/vims.json", h.createVim),
		rest.Get("/vims", h.listVims),
		rest.Get("/vims.json", h.listVims),
		rest.Get("/vims/:vimId", h.readVim),
		rest.Put("/vims/:vimId", h.updateVim),
		rest.Delete("/vims/:vimId", h.deleteVim),
	}
}

type vimBody[T any] struct {
	Vim T `json:"vim" param:"required"`
}

type newVim struct {
	Type        string         `json:"type" param:"required; enum=openstack|kubernetes"`
	Name        string         `json:"name" param:"required"`
	Description string         `json:"description"`
	AuthURL     string         `json:"auth_url"` // a kubeconfig may have it
	AuthCred    map[string]any `json:"auth_cred" param:"required"`
	Project     map[string]any `json:"vim_project"`
	IsDefault   bool           `json:"is_default"`
	Extra       map[string]any `json:"extra"`
}

// changedVim holds the members that a PUT may change; type and auth_url are fixed, as in Tacker.
type changedVim struct {
	Name        *string        `json:"name"`
	Description *string        `json:"description"`
	AuthCred    map[string]any `json:"auth_cred"`
	Project     map[string]any `json:"vim_project"`
	IsDefault   *bool          `json:"is_default"`
	Extra       map[string]any `json:"extra"`
}

type vimView struct {
	ID            lcm.VimID      `json:"id"`
	TenantID      string         `json:"tenant_id"`
	Type          string         `json:"type"`
	Name          string         `json:"name"`
	Description   string         `json:"description"`
	AuthURL       string         `json:"auth_url"`
	AuthCred      map[string]any `json:"auth_cred"`
	Project       map[string]any `json:"vim_project"`
	IsDefault     bool           `json:"is_default"`
	PlacementAttr map[string]any `json:"placement_attr"`
	Status        string         `json:"status"`
	StatusReason  string         `json:"status_reason,omitempty"`
	Warnings      []string       `json:"warnings,omitempty"`
	Extra         map[string]any `json:"extra"`
	CreatedAt     string         `json:"created_at"`
	UpdatedAt     *string        `json:"updated_at"`
}

func viewOfVim(v lcm.Vim) vimView {
	const seconds = "2006-01-02 15:04:05"
	view := vimView{
		ID: v.ID, TenantID: string(v.ProjectID), Type: v.Type, Name: v.Name, Description: v.Description,
		AuthURL: v.AuthURL, AuthCred: v.AuthCred, Project: v.Project, IsDefault: v.IsDefault,
		PlacementAttr: map[string]any{"regions": regionsOf(v)}, Status: v.Status, StatusReason: v.Check.Reason,
		Warnings: v.Check.Warnings, Extra: v.Extra, CreatedAt: v.Created.UTC().Format(seconds),
	}
	if v.Check.Version != "" {
		view.PlacementAttr["version"] = v.Check.Version
	}
	if v.Updated.After(v.Created) {
		view.UpdatedAt = new(v.Updated.UTC().Format(seconds))
	}
	return view
}

// regionsOf is the region in a VIM's registration, since Tacker's form has no member for it; else the regions that the
// VIM had when its credentials were tried.
func regionsOf(v lcm.Vim) []string {
	for _, from := range []map[string]any{v.AuthCred, v.Extra} {
		if region, _ := from["region"].(string); region != "" {
			return []string{region}
		}
	}
	return append([]string{}, v.Regions...)
}

func (h *Handler) createVim(c echo.Context) error {
	req, err := rest.Bind[vimBody[newVim]](c)
	if err != nil {
		return err
	}
	if err := checkSpelling(req.Vim.Type, req.Vim.AuthCred, req.Vim.Extra); err != nil {
		return err
	}
	ctx, now := c.Request().Context(), time.Now().UTC()
	vim := lcm.Vim{
		ID: rest.NewID[lcm.VimID](), ProjectID: lcm.ScopeOf(ctx).Project, Name: req.Vim.Name,
		Description: req.Vim.Description, Type: req.Vim.Type, AuthURL: req.Vim.AuthURL, Project: req.Vim.Project,
		IsDefault: req.Vim.IsDefault, Status: lcm.VimPending, Extra: req.Vim.Extra, Created: now, Updated: now,
	}
	vim, credentials, err := h.readCredentials(vim, req.Vim.AuthCred)
	if err != nil {
		return err
	}
	if err := h.tryVim(ctx, &vim, credentials); err != nil {
		return err
	}
	err = h.sealCredentials(ctx, &vim, credentials)
	if err == nil {
		err = h.sealExtra(ctx, &vim, req.Vim.Extra)
	}
	if err == nil {
		err = h.Store.CreateVim(ctx, vim)
	}
	if err := h.Stored(ctx, string(vim.ID), vimSecrets(vim.ID), err, rest.Exists(h.Store.Vim, vim.ID)); err != nil {
		return err
	}
	rest.NoteMade(c, "/v1.0/vims/"+string(vim.ID))
	return h.showStored(c, http.StatusCreated, vim.ID)
}

// showStored shows a VIM as it is stored now: its tag is made of the database's clock.
func (h *Handler) showStored(c echo.Context, status int, id lcm.VimID) error {
	vim, err := h.Store.Vim(c.Request().Context(), id)
	if err != nil {
		return err
	}
	rest.ShowTag(c, vimTag(vim))
	return rest.WriteJSON(c, status, map[string]vimView{"vim": viewOfVim(vim)})
}

// orVimChanged makes a 412 of a refusal when the VIM has changed under a conditional request.
func (h *Handler) orVimChanged(c echo.Context, id lcm.VimID, err error) error {
	return rest.OrChanged(c, "VIM", err, func() (string, error) {
		now, err := h.Store.Vim(c.Request().Context(), id)
		return vimTag(now), err
	})
}

// listVims takes ?name=... and other attributes as filters, and fields, as Tacker's client sends them; it also takes
// SOL013's filter, as the other lists do.
func (h *Handler) listVims(c echo.Context) error {
	params := c.QueryParams()
	fields := params["fields"]
	params.Del("fields")
	known, err := rest.Document(vimView{})
	if err != nil {
		return err
	}
	chosen, err := readFilter(params)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(params))
	for _, e := range chosen {
		names = append(names, e.Path[0])
	}
	for _, name := range names {
		if _, ok := known[name]; !ok {
			return lcm.Errorf(lcm.KindInvalid, "VIMs have no attribute %q to filter by.", name)
		}
	}
	list, err := h.Store.Vims(c.Request().Context())
	if err != nil {
		return err
	}
	out := make([]map[string]any, 0, len(list))
	for _, vim := range list {
		doc, err := rest.Document(viewOfVim(vim))
		if err != nil {
			return err
		}
		if matchesAll(doc, params) && chosen.Matches(doc) {
			out = append(out, only(doc, fields))
		}
	}
	return rest.WriteJSON(c, http.StatusOK, map[string]any{"vims": out})
}

// readFilter takes the filter out of the parameters of a list.
func readFilter(params url.Values) (query.Filter, error) {
	text, given := params.Get("filter"), params.Has("filter")
	if !given {
		return nil, nil
	}
	if len(params["filter"]) > 1 {
		return nil, lcm.Errorf(lcm.KindInvalid, "filter is given more than once.")
	}
	params.Del("filter")
	chosen, err := query.Parse(text)
	if err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "filter %s.", err)
	}
	return chosen, nil
}

func matchesAll(doc map[string]any, params map[string][]string) bool {
	for name, values := range params {
		text, _ := doc[name].(string)
		if b, ok := doc[name].(bool); ok {
			text = strconv.FormatBool(b)
		}
		if !slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, text) }) {
			return false
		}
	}
	return true
}

func only(doc map[string]any, fields []string) map[string]any {
	if len(fields) > 0 {
		maps.DeleteFunc(doc, func(name string, _ any) bool { return !slices.Contains(fields, name) })
	}
	return doc
}

func (h *Handler) pathVim(c echo.Context) (lcm.Vim, error) {
	text := strings.TrimSuffix(c.Param("vimId"), ".json")
	id, err := uuid.Parse(text)
	if err != nil {
		return lcm.Vim{}, lcm.Errorf(lcm.KindNotFound, "There is no VIM %q.", text)
	}
	vim, err := h.Store.Vim(c.Request().Context(), lcm.VimID(id.String()))
	if err == nil {
		rest.InProjectOf(c, vim.ProjectID)
	}
	return vim, err
}

func (h *Handler) readVim(c echo.Context) error {
	vim, err := h.pathVim(c)
	if err != nil {
		return err
	}
	rest.ShowTag(c, vimTag(vim))
	return rest.WriteJSON(c, http.StatusOK, map[string]vimView{"vim": viewOfVim(vim)})
}

func (h *Handler) deleteVim(c echo.Context) error {
	vim, err := h.pathVim(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, vimTag(vim), "VIM"); err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := h.Store.DeleteVim(ctx, vim.ID, rest.OnlyIf(c, vim.Updated)...); err != nil {
		return h.orVimChanged(c, vim.ID, err)
	}
	h.Forget(ctx, vimSecrets(vim.ID))
	return c.NoContent(http.StatusNoContent)
}
