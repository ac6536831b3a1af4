package kubernetes

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/api/errors"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// Quotas returns the limits of the ResourceQuotas in the VIM's namespace, with the used parts. There are none if the
// credentials may not see them.
func Quotas(ctx context.Context, vim lcm.Vim, cred map[string]any, guard outbound.Guard,
	wraps ...func(http.RoundTripper) http.RoundTripper,
) (out []lcm.VimQuota, err error) {
	client, end, err := checking(vim, cred, guard, wraps)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := answers(ctx, vim, client); err != nil {
		return nil, err
	}
	text, err := client.RESTClient().Get().AbsPath("/api/v1/namespaces", vim.Namespace(), "resourcequotas").
		MaxRetries(0).Do(ctx).Raw()
	if errors.IsForbidden(err) || errors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The Kubernetes API of VIM %s does not tell its quotas.", vim.Name)
	}
	return quotasIn(text)
}

// quotasIn reads a ResourceQuotaList. Quantities stay as they are written.
func quotasIn(text []byte) (out []lcm.VimQuota, err error) {
	var list struct {
		Items []struct {
			Status struct {
				Hard, Used map[string]string
			} `json:"status"`
		} `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The VIM's answer about its quotas cannot be read.")
	}
	for _, item := range list.Items {
		for _, resource := range slices.Sorted(maps.Keys(item.Status.Hard)) {
			out = append(out, lcm.VimQuota{
				Resource: resource, Limit: item.Status.Hard[resource], Used: item.Status.Used[resource],
			})
		}
	}
	return out, nil
}
