package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// ToStackPreviewMap implements gophercloud's builder.
func (s Stack) ToStackPreviewMap() (map[string]any, error) { return s.ToStackCreateMap() }

// Survey implements vim.Surveyor. Heat previews the stack, and so checks its networks, images, flavours and keys. The
// services report the rest of the project's quotas.
func (c *Cloud) Survey(ctx context.Context, d vim.Deployment, room vim.Room) (problems []string, err error) {
	of, err := definitionOf(d.Definition)
	if err != nil {
		return nil, err
	}
	if d.Definition != nil {
		problem, err := c.previewed(ctx, Stack{
			// An earlier attempt may have left a stack of the deployment's own name; Deploy would remove it first.
			Name: d.Name + "-preview", Template: of.Template, Files: of.Files, Parameters: of.Parameters,
			Owner: d.Owner, Operation: d.Operation, Timeout: d.Timeout,
		})
		if err != nil {
			return nil, mask(err, d.Secrets)
		}
		if problem != nil {
			problems = append(problems, lcm.Sentence(mask(problem, d.Secrets)))
		}
	}
	short, err := c.shortages(ctx, room)
	return append(problems, short...), err
}

// previewed returns the first mistake that Heat finds in a stack; err is the reason why Heat could not answer.
func (c *Cloud) previewed(ctx context.Context, s Stack) (problem, err error) {
	err = translate("preview the stack", stacks.Preview(ctx, c.heat, s).Err)
	for _, kind := range []lcm.ErrorKind{lcm.KindInvalid, lcm.KindNotFound, lcm.KindExhausted} {
		if lcm.Is(err, kind) {
			return err, nil
		}
	}
	return nil, err
}

// quota is a limit of the project, with the used part. A negative limit means no limit.
type quota struct {
	what         string
	limit        *int // nil where the service does not tell it
	used, needed int
}

// shortages returns the quotas without enough room. It does not retry services that do not report their limits: the
// operation itself will fail if there is no room.
func (c *Cloud) shortages(ctx context.Context, room vim.Room) (out []string, err error) {
	for _, read := range c.quotaReaders() {
		quotas, err := read(ctx, room)
		if err != nil {
			return out, err
		}
		for _, q := range quotas {
			if q.limit != nil && *q.limit >= 0 && q.needed > *q.limit-q.used {
				out = append(out, fmt.Sprintf("The project's quota has room for %d more %s (%d of %d are used), and %d are needed.",
					max(0, *q.limit-q.used), q.what, q.used, *q.limit, q.needed))
			}
		}
	}
	return out, nil
}

func (c *Cloud) computeQuotas(ctx context.Context, room vim.Room) ([]quota, error) {
	if room.Servers == 0 {
		return nil, nil
	}
	var answer struct {
		Limits struct {
			Absolute struct {
				Instances     *int `json:"maxTotalInstances"`
				InstancesUsed int  `json:"totalInstancesUsed"`
				Cores         *int `json:"maxTotalCores"`
				CoresUsed     int  `json:"totalCoresUsed"`
				RAM           *int `json:"maxTotalRAMSize"`
				RAMUsed       int  `json:"totalRAMUsed"`
			} `json:"absolute"`
		} `json:"limits"`
	}
	if err := c.read(ctx, c.compute, &answer, nil, "limits"); err != nil {
		return nil, translate("read the limits of Nova", err)
	}
	l := answer.Limits.Absolute
	return []quota{
		{"servers", l.Instances, l.InstancesUsed, room.Servers},
		{"cores", l.Cores, l.CoresUsed, room.Cores},
		{"MiB of memory", l.RAM, l.RAMUsed, room.RAM},
	}, nil
}

// portQuota returns nothing where Neutron does not report the used part (its extension quota_details).
func (c *Cloud) portQuota(ctx context.Context, room vim.Room) ([]quota, error) {
	project := c.projectID()
	if room.Ports == 0 || project == "" {
		return nil, nil
	}
	var answer struct {
		Quota struct {
			Port struct {
				Limit *int `json:"limit"`
				Used  int  `json:"used"`
			} `json:"port"`
		} `json:"quota"`
	}
	err := c.read(ctx, c.network, &answer, nil, "quotas", url.PathEscape(project), "details.json")
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) || gophercloud.ResponseCodeIs(err, http.StatusForbidden) {
		return nil, nil
	}
	p := answer.Quota.Port
	return []quota{{"ports", p.Limit, p.Used, room.Ports}}, translate("read the quotas of Neutron", err)
}

// volumeQuota returns nothing in a cloud without Cinder.
func (c *Cloud) volumeQuota(ctx context.Context, room vim.Room) ([]quota, error) {
	if room.Volumes == 0 || c.volumes == nil {
		return nil, nil
	}
	var answer struct {
		Limits struct {
			Absolute struct {
				Volumes     *int `json:"maxTotalVolumes"`
				VolumesUsed int  `json:"totalVolumesUsed"`
			} `json:"absolute"`
		} `json:"limits"`
	}
	if err := c.read(ctx, c.volumes, &answer, nil, "limits"); err != nil {
		return nil, translate("read the limits of Cinder", err)
	}
	l := answer.Limits.Absolute
	return []quota{{"volumes", l.Volumes, l.VolumesUsed, room.Volumes}}, nil
}

// projectID is the project of the token, "" when the token does not name it.
func (c *Cloud) projectID() string {
	result, ok := c.provider.GetAuthResult().(tokens.CreateResult)
	if !ok {
		return ""
	}
	project, err := result.ExtractProject()
	if err != nil || project == nil {
		return ""
	}
	return project.ID
}
