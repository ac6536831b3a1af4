package openstack

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// OpenStack has all these abilities.
var _ interface {
	vim.VIM
	vim.Balancer
	vim.Describer
	vim.Power
	vim.Reconnector
	vim.Restorer
	vim.Surveyor
	vim.VolumeKeeper
} = (*Cloud)(nil)

// Definition is how Heat is told what a deployment is: vim.Definition of OpenStack.
type Definition struct {
	// Template is "" in a change that leaves it as it is.
	Template   string
	Files      map[string]string // nested templates by the name that the template uses
	Parameters map[string]any
	// Whole is set in a change that says all that the stack is to have; others keep what they do not name.
	Whole bool
}

func definitionOf(d vim.Definition) (Definition, error) {
	switch d := d.(type) {
	case nil:
		return Definition{}, nil
	case Definition:
		return d, nil
	default:
		return Definition{}, lcm.Errorf(lcm.KindBug, "A deployment on an OpenStack is defined by %T.", d)
	}
}

// Deploy implements vim.VIM with a stack.
func (c *Cloud) Deploy(ctx context.Context, d vim.Deployment, progress func(string)) (string, error) {
	of, err := definitionOf(d.Definition)
	if err != nil {
		return "", err
	}
	return c.CreateStack(ctx, Stack{
		Name: d.Name, Template: of.Template, Files: of.Files, Parameters: of.Parameters,
		Owner: d.Owner, Operation: d.Operation, Timeout: d.Timeout, Secrets: d.Secrets,
	}, progress)
}

// Change implements vim.VIM.
func (c *Cloud) Change(ctx context.Context, ch vim.Change, progress func(string)) error {
	of, err := definitionOf(ch.Definition)
	if err != nil {
		return err
	}
	return c.UpdateStack(ctx, Change{
		Name: ch.Name, Template: of.Template, Files: of.Files, Parameters: of.Parameters, Owner: ch.Owner,
		Operation: ch.Operation, Timeout: ch.Timeout, Secrets: ch.Secrets, Replace: ch.Replace, Keep: ch.Keep,
		Whole: of.Whole,
	}, progress)
}

// Remove implements vim.VIM.
func (c *Cloud) Remove(ctx context.Context, name, owner string, progress func(string)) error {
	return c.DeleteStack(ctx, name, owner, progress)
}

// Interrupt implements vim.VIM.
func (c *Cloud) Interrupt(ctx context.Context, name, owner string, progress func(string)) error {
	return c.CancelStack(ctx, name, owner, progress)
}

// Heat's words for what is known of a server's volumes and of ports without their stack.
const (
	volumeType = "OS::Cinder::Volume"
	portType   = "OS::Neutron::Port"
)

// kinds are the kinds of Heat's resources.
var kinds = map[string]vim.ResourceKind{
	"OS::Nova::Server": vim.Compute, volumeType: vim.Storage, portType: vim.LinkPort, "OS::Neutron::Net": vim.Network,
	"OS::Neutron::ProviderNet": vim.Network, "OS::Neutron::FloatingIP": vim.PublicAddr,
	"OS::Heat::AutoScalingGroup": vim.Group, "OS::Heat::ResourceGroup": vim.Group,
}
