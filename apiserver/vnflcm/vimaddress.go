package vnflcm

import (
	"context"
	"fmt"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// checkEndpoint refuses a connection to a denied address: the operation would fail when it calls the VIM.
func (h *Handler) checkEndpoint(path string, conn lcm.VimConnectionInfo, found *driver.Findings) {
	if err := h.DeniedVim(conn.Endpoint()); err != nil {
		found.Names(path+".interfaceInfo.endpoint", "%s", rest.Sentence(err))
	}
	of := lcm.KindOfVim(conn.Kind()).Credentials
	if of == nil {
		return
	}
	for _, member := range of.Addresses {
		address, _ := conn.AccessInfo[member].(string)
		if err := h.DeniedVim(address); err != nil {
			found.Names(path+".accessInfo."+member, "%s", rest.Sentence(err))
		}
	}
}

// checkAddress refuses a connection to a registered VIM that names another endpoint and brings no secret for it: the
// registry's secrets are sent to the registered address only.
func (a *api) checkAddress(
	ctx context.Context, path string, conn lcm.VimConnectionInfo, found *driver.Findings,
) error {
	id, err := parseID(conn.VimID)
	if conn.VimID == "" || err != nil {
		return nil //nolint:nilerr // reported already
	}
	vim, err := a.Store.Vim(ctx, id)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return nil // reported already
	case err != nil:
		return err
	case conn.ElsewhereThan(vim):
		found.Mistake(lcm.Problem{
			Path: path + ".interfaceInfo.endpoint",
			Detail: fmt.Sprintf("is not the endpoint of the registered VIM %s, and Windlass sends its credentials to "+
				"that endpoint only: leave interfaceInfo out, or give accessInfo with the credentials for this "+
				"endpoint", vim.Name),
		})
	}
	return nil
}
