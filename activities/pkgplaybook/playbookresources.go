package pkgplaybook

import (
	"context"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/ansible"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// resources adds the variables about the VNF's resources at the VIM, if a run uses any. It leaves out a variable
// without a value, so that one error lists all missing variables.
func (p *Playbooks) resources(ctx context.Context, id lcm.OpOccID, told *ansible.Told) (hidden []string, err error) {
	wanted := told.Resources()
	if len(wanted) == 0 {
		return nil, nil
	}
	cloud, err := p.Cloud.VIMs.VIM(ctx, id)
	if err != nil {
		return nil, err
	}
	name, owner, err := p.Cloud.Deployments.DeploymentName(ctx, id)
	if err != nil {
		return nil, err
	}
	known := knownResources{cloud: cloud, name: name, owner: owner, attributes: map[string]map[string]any{}}
	for _, variable := range wanted {
		value, ok, err := known.value(ctx, variable)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		text := ansible.AttributeText(value)
		told.Variables[variable] = text
		hidden = append(hidden, secretsOf(variable, text, value)...)
	}
	return hidden, nil
}

// knownResources caches the VIM's answers.
type knownResources struct {
	cloud       vim.VIM
	name, owner string
	inventory   *vim.Inventory
	attributes  map[string]map[string]any
}

func (k *knownResources) value(ctx context.Context, variable string) (value any, ok bool, err error) {
	if list, is := strings.CutPrefix(variable, ansible.ListPrefix); is {
		ending, ok := ansible.Lists[list]
		if !ok {
			return nil, false, nil
		}
		if k.inventory == nil {
			if k.inventory, err = k.cloud.Inventory(ctx, k.name); err != nil {
				return nil, false, err
			}
		}
		return k.list(ending), true, nil
	}
	resource, path, _ := strings.Cut(strings.TrimPrefix(variable, ansible.ResourcePrefix), ".")
	if _, read := k.attributes[resource]; !read {
		describer, err := vim.As[vim.Describer](k.cloud, "show the attributes of a resource, which _VAR_"+variable+" "+
			"needs")
		if err != nil {
			return nil, false, err
		}
		k.attributes[resource], err = describer.Attributes(ctx, k.name, k.owner, resource)
		if err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return nil, false, err
		}
	}
	value, ok = ansible.Attribute(k.attributes[resource], path)
	return value, ok, nil
}

// list returns the names of the deployment's top-level resources whose types have this ending, separated by commas.
func (k *knownResources) list(ending string) string {
	var names []string
	for _, r := range k.inventory.Resources {
		if k.inventory.AtTop(r) && strings.HasSuffix(r.VimType, ending) {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}
