package extensions

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Clusters makes kubeconfigs for clusters that are registered as VIMs.
type Clusters interface {
	// Kubeconfig makes a kubeconfig with a new token. The token ends at expires, after lifetime or earlier.
	Kubeconfig(ctx context.Context, vim lcm.Vim, credentials map[string]any, lifetime time.Duration) (
		text string, expires time.Time, err error)
}

// kubeconfigRequest has the lifetime of the credential, in seconds. Kubernetes takes no less than 10 minutes. A day is
// long enough, because nobody revokes the credential.
type kubeconfigRequest struct {
	ExpirationSeconds *int `json:"expirationSeconds" param:"min=600; max=86400; unit=seconds"`
}

// usualLifetime is the lifetime of a credential if the request names none.
const usualLifetime = time.Hour

func (r kubeconfigRequest) lifetime() time.Duration {
	if r.ExpirationSeconds == nil {
		return usualLifetime
	}
	return time.Duration(*r.ExpirationSeconds) * time.Second
}

// kubeconfigView has a secret: it is in this answer only, and is kept nowhere.
type kubeconfigView struct {
	Kubeconfig string    `json:"kubeconfig"`
	ExpiresAt  time.Time `json:"expiresAt"`
}

// makeKubeconfig answers with a kubeconfig for the cluster of a VNF instance, with a new credential.
func (h *Handler) makeKubeconfig(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	req, err := rest.Bind[kubeconfigRequest](c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	vim, err := h.clusterVim(ctx, inst)
	if err != nil {
		return err
	}
	credentials, err := h.OpenMap(ctx, vim.AuthCred)
	if err != nil {
		return err
	}
	text, expires, err := h.Clusters.Kubeconfig(ctx, vim, credentials, req.lifetime())
	if err != nil {
		return clusterRefusal(vim, err)
	}
	h.Log.InfoContext(ctx, "Kubeconfig made", "requestId", rest.RequestID(c), "vnfInstanceId", inst.ID, "expiresAt", expires)
	c.Response().Header().Set("Cache-Control", "no-store")
	return rest.WriteJSON(c, http.StatusCreated, kubeconfigView{text, expires})
}

// clusterVim is the VIM as which the cluster that a VNF instance is, is registered.
func (h *Handler) clusterVim(ctx context.Context, inst lcm.VnfInstance) (vim lcm.Vim, err error) {
	info := inst.Instantiated
	switch {
	case inst.InstantiationState != lcm.Instantiated || info == nil:
		return vim, lcm.Errorf(lcm.KindConflict, "The VNF instance %s is not instantiated: it has no cluster.", inst.ID)
	case info.ClusterVimID == "" && len(info.Nodes) == 0:
		return vim, lcm.Errorf(lcm.KindConflict, "The VNF instance %s is no Kubernetes cluster.", inst.ID)
	case info.ClusterVimID == "":
		return vim, notRegistered(inst)
	}
	vim, err = h.Store.Vim(ctx, info.ClusterVimID)
	if lcm.Is(err, lcm.KindNotFound) {
		return vim, notRegistered(inst)
	}
	return vim, err
}

func notRegistered(inst lcm.VnfInstance) error {
	return lcm.Errorf(lcm.KindConflict, "The cluster of the VNF instance %s is not registered as a VIM: Windlass has no "+
		"credentials for it.", inst.ID)
}

// clusterRefusal separates a refusal by the cluster from a refusal by this API: this API allows the client's request.
func clusterRefusal(vim lcm.Vim, err error) error {
	if !lcm.Is(err, lcm.KindDenied) {
		return err
	}
	return lcm.Wrap(lcm.KindConflict, err, "The cluster is registered as the VIM %s, but refuses the credentials of "+
		"this VIM: %s", vim.Name, lcm.Sentence(err))
}
