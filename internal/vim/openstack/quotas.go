package openstack

import (
	"context"
	"strconv"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Quotas returns the limits of the project, as far as the services tell them, with the used parts.
func (c *Cloud) Quotas(ctx context.Context) (out []lcm.VimQuota, err error) {
	anything := vim.Room{Servers: 1, Ports: 1, Volumes: 1}
	for _, read := range c.quotaReaders() {
		quotas, err := read(ctx, anything)
		if err != nil {
			return nil, err
		}
		for _, q := range quotas {
			if q.limit == nil {
				continue
			}
			v := lcm.VimQuota{Resource: q.what, Used: strconv.Itoa(q.used)}
			if *q.limit >= 0 {
				v.Limit = strconv.Itoa(*q.limit)
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// quotaReaders ask one service each.
func (c *Cloud) quotaReaders() []func(context.Context, vim.Room) ([]quota, error) {
	return []func(context.Context, vim.Room) ([]quota, error){c.computeQuotas, c.portQuota, c.volumeQuota}
}
