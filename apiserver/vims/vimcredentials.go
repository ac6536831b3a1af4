package vims

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// updateVim changes the given members. Unlike Tacker it accepts new credentials while VNFs use the VIM: passwords
// expire, and VNFs refer to the VIM by its id.
func (h *Handler) updateVim(c echo.Context) error {
	vim, err := h.pathVim(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, vimTag(vim), "VIM"); err != nil {
		return err
	}
	req, err := rest.BindKnown[vimBody[changedVim]](c, vimPath, unchanged)
	if err != nil {
		return err
	}
	if err := checkSpelling(vim.Type, req.Vim.AuthCred, req.Vim.Extra); err != nil {
		return err
	}
	if err := h.completeChange(&vim, &req.Vim); err != nil {
		return err
	}
	if err := lcm.InvalidAll("The change would send the VIM's secrets to another receiver",
		vim.MovedSecrets("$.vim.auth_cred", req.Vim.AuthCred)); err != nil {
		return err
	}
	ctx, before := c.Request().Context(), vimReferences(vim)
	err = h.changeVim(ctx, &vim, req.Vim)
	if err == nil {
		// If somebody changed the VIM since it was read, this is a 409: the client then decides again.
		err = h.Store.UpdateVim(ctx, vim)
	}
	if err := h.settleVim(ctx, vim, before, err); err != nil {
		return h.orVimChanged(c, vim.ID, err)
	}
	return h.showStored(c, http.StatusOK, vim.ID)
}

// unchanged are members that a PUT may have, but must not change: Tacker's client sends the type.
var unchanged = []string{
	"id", "tenant_id", "type", "auth_url", "placement_attr", "status", "status_reason", "warnings", "created_at",
	"updated_at", "shared",
}

// changeVim lays the request over the VIM. It seals secrets under new names: the stored VIM's secrets stay as they are.
func (h *Handler) changeVim(ctx context.Context, vim *lcm.Vim, req changedVim) error {
	moved := req.Extra != nil && movesEndpoints(*vim, req.Extra)
	req.applyTo(vim)
	if req.AuthCred != nil || req.Project != nil || moved {
		if err := h.changeCredentials(ctx, vim, req.AuthCred); err != nil {
			return err
		}
	}
	if req.Extra != nil {
		return h.sealExtra(ctx, vim, req.Extra)
	}
	return nil
}

// movesEndpoints tells whether an extra changes the VIM's endpoints, or the way to call them: then it has to be tried.
func movesEndpoints(vim lcm.Vim, extra map[string]any) bool {
	return slices.ContainsFunc([]string{"region", "interface", "call_timeout", "poll_interval", "outage_patience"},
		func(key string) bool {
			return !reflect.DeepEqual(vim.Extra[key], extra[key])
		})
}

func vimReferences(v lcm.Vim) []lcm.SecretRef {
	return slices.Concat(rest.References(v.AuthCred), rest.References(v.Extra))
}

func (r changedVim) applyTo(vim *lcm.Vim) {
	if r.Name != nil {
		vim.Name = *r.Name
	}
	if r.Description != nil {
		vim.Description = *r.Description
	}
	if r.Project != nil {
		vim.Project = r.Project
	}
	if r.IsDefault != nil {
		vim.IsDefault = *r.IsDefault
	}
	if r.Extra != nil {
		vim.Extra = r.Extra // in clear, to be tried
	}
}

func vimSecrets(id lcm.VimID) lcm.SecretRef { return lcm.SecretRef("vim/" + string(id) + "/") }

// sealExtra puts extra into vim, as sealCredentials does the credentials.
func (h *Handler) sealExtra(ctx context.Context, vim *lcm.Vim, extra map[string]any) error {
	sealed, err := h.sealSet(ctx, vim.ID, "extra", extra)
	if err == nil {
		vim.Extra = sealed
	}
	return err
}

// changeCredentials lays the given members over the present ones, tries the result and seals it.
func (h *Handler) changeCredentials(ctx context.Context, vim *lcm.Vim, given map[string]any) error {
	credentials, err := h.OpenMap(ctx, vim.AuthCred)
	if err != nil {
		return err
	}
	maps.Copy(credentials, given)
	if rules := lcm.KindOfVim(vim.Type).Credentials; rules != nil {
		maps.DeleteFunc(credentials, func(_ string, value any) bool { return value == nil })
		if err := h.usable(*vim, *rules, credentials); err != nil {
			return err
		}
	}
	if err := h.tryVim(ctx, vim, credentials); err != nil {
		return err
	}
	return h.sealCredentials(ctx, vim, credentials)
}

// checkSpelling checks a VIM's members as far as this is possible without a call to the VIM.
func checkSpelling(vimType string, credentials, extra map[string]any) error {
	problems := lcm.Misspelt(credPath, credentials, lcm.KindOfVim(vimType).Members)
	return lcm.InvalidAll("The VIM cannot be registered", append(problems, lcm.ExtraProblems(vimPath+".extra", extra)...))
}

// tryVim makes sure that the VIM answers and takes the credentials, and says so in its status.
func (h *Handler) tryVim(ctx context.Context, vim *lcm.Vim, credentials map[string]any) error {
	if h.Checker == nil {
		return nil
	}
	tried := *vim
	tried.Regions = nil // they may be others by now
	found, err := h.Checker.Check(ctx, tried, credentials)
	if err != nil {
		return &checkError{err}
	}
	vim.Found(found, time.Now().UTC())
	if len(found.Warnings) > 0 {
		h.Log.WarnContext(ctx, "The VIM can be used, but has warnings", "vim", vim.Name, "warnings", found.Warnings)
	}
	return nil
}

// sealCredentials puts the credentials into vim, with references in the place of secrets.
func (h *Handler) sealCredentials(ctx context.Context, vim *lcm.Vim, credentials map[string]any) error {
	sealed, err := h.sealSet(ctx, vim.ID, "credentials", credentials)
	if err == nil {
		vim.AuthCred = sealed
	}
	return err
}

// sealSet seals a VIM's secrets. Every set has its own references, so the old set is valid until the row names the new
// one.
func (h *Handler) sealSet(
	ctx context.Context, id lcm.VimID, what string, clearMap map[string]any,
) (map[string]any, error) {
	prefix := vimSecrets(id) + lcm.SecretRef(uuid.NewString()+"/"+what)
	sealed, err := h.SealMap(ctx, prefix, clearMap)
	if err != nil {
		h.Forget(ctx, prefix)
	}
	return sealed, err
}

// settleVim deletes unused secrets after an update that ended with err: the VIM's former ones, or the ones of the
// failed update. It returns nil if the update was stored all the same.
func (h *Handler) settleVim(ctx context.Context, vim lcm.Vim, before []lcm.SecretRef, err error) error {
	wanted := vimReferences(vim)
	if err != nil {
		made, known := h.Made(ctx, string(vim.ID), err, func(ctx context.Context) (bool, error) {
			now, err := h.Store.Vim(ctx, vim.ID)
			if lcm.Is(err, lcm.KindNotFound) {
				return false, nil
			}
			// Every change of secrets has new references.
			return err == nil && !slices.Equal(wanted, before) && slices.Equal(vimReferences(now), wanted), err
		})
		if !known {
			return err
		}
		if made {
			err = nil
		}
	}
	unused, stays := before, wanted
	if err != nil {
		unused, stays = stays, before
	}
	for _, ref := range unused {
		if !slices.Contains(stays, ref) {
			h.Forget(ctx, ref)
		}
	}
	return err
}
