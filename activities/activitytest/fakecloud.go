package activitytest

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// FakeCloud has one deployment, which completes only when the test allows it, and servers that shut down or do not.
type FakeCloud struct {
	Unused

	Status  string
	Creates int
	Making  func() // is called while the deployment is being created; nil completes it at once
	Refuse  error  // the error of a cancel
	Alive   bool   // whether the context of the cancel had not ended
	Limit   time.Duration
	StillOn []string
}

// Unused has the methods that these tests do not call.
type Unused struct {
	vim.VIM
	vim.Power
	vim.Reconnector
	vim.Restorer
	vim.VolumeKeeper
}

// VIM implements resources.VIMs.
func (c *FakeCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

// Deploy implements vim.VIM.
func (c *FakeCloud) Deploy(ctx context.Context, _ vim.Deployment, _ func(string)) (string, error) {
	if c.Status != "CREATE_IN_PROGRESS" && c.Status != "CREATE_COMPLETE" {
		c.Creates++
		c.Status = "CREATE_IN_PROGRESS"
	}
	if c.Making != nil {
		c.Making()
		<-ctx.Done()
		return "", lcm.Wrap(lcm.KindUnavailable, ctx.Err(), "OpenStack did not answer.")
	}
	c.Status = "CREATE_COMPLETE"
	return "stack-1", nil
}

// Interrupt implements vim.VIM.
func (c *FakeCloud) Interrupt(ctx context.Context, name, owner string, _ func(string)) error {
	_, bounded := ctx.Deadline()
	c.Alive = ctx.Err() == nil && bounded && name == "vnf-1" && owner == "owner-1"
	if c.Refuse != nil {
		return c.Refuse
	}
	c.Status = "CREATE_FAILED"
	return nil
}

// Remove implements vim.VIM.
func (c *FakeCloud) Remove(_ context.Context, name, owner string, _ func(string)) error {
	if name == "vnf-1" && owner == "owner-1" {
		c.Status = ""
	}
	return nil
}

// ShutDown implements vim.Power.
func (c *FakeCloud) ShutDown(_ context.Context, _, _ string, until time.Time, _ func(string)) ([]string, error) {
	c.Limit = time.Until(until)
	return c.StillOn, nil
}

// FixedDeployment returns the same deployment for every operation.
type FixedDeployment struct {
	Servers       []record.Vnfc
	Before, After []lcm.ExtVirtualLink
}

// Links implements resources.Deployments.
func (s FixedDeployment) Links(context.Context, lcm.OpOccID) (before, after []lcm.ExtVirtualLink, err error) {
	return s.Before, s.After, nil
}

// Recorded implements resources.Deployments.
func (s FixedDeployment) Recorded(context.Context, lcm.OpOccID) ([]record.Vnfc, error) {
	return s.Servers, nil
}

// Deployment implements resources.Deployments.
func (FixedDeployment) Deployment(context.Context, lcm.OpOccID) (vim.Deployment, error) {
	return vim.Deployment{Name: "vnf-1", Owner: "owner-1"}, nil
}

// DeploymentName implements resources.Deployments.
func (FixedDeployment) DeploymentName(context.Context, lcm.OpOccID) (name, owner string, err error) {
	return "vnf-1", "owner-1", nil
}

// Change implements resources.Deployments.
func (FixedDeployment) Change(_ context.Context, _ lcm.OpOccID, sizes vim.Sizes) (vim.Change, []string, error) {
	size := 3
	if sizes == vim.SizesRecorded {
		size = 2
	}
	return vim.Change{Name: "vnf-1", Owner: "owner-1", Definition: map[string]any{"size": size}},
		[]string{"s1", "s2"}, nil
}

// Reconnection implements resources.Deployments.
func (FixedDeployment) Reconnection(_ context.Context, _ lcm.OpOccID, asBefore bool) (vim.Change, error) {
	return vim.Change{Name: "vnf-1", Owner: "owner-1", Definition: map[string]any{"asBefore": asBefore}}, nil
}

// Repackaging implements resources.Deployments.
func (FixedDeployment) Repackaging(_ context.Context, _ lcm.OpOccID, asBefore bool) (vim.Change, error) {
	return vim.Change{Name: "vnf-1", Owner: "owner-1", Definition: map[string]any{"former": asBefore}}, nil
}

// Halting implements resources.Deployments.
func (FixedDeployment) Halting(context.Context, lcm.OpOccID) (vim.Change, time.Duration, error) {
	return vim.Change{Name: "vnf-1", Owner: "owner-1"}, time.Minute, nil
}

// GracePeriod implements resources.Deployments.
func (FixedDeployment) GracePeriod(context.Context, lcm.OpOccID) (time.Duration, error) {
	return 30 * time.Second, nil
}

// Removal implements resources.Deployments.
func (FixedDeployment) Removal(context.Context, lcm.OpOccID) (vim.Removal, error) {
	return vim.Removal{}, nil
}

// DeploymentInput names the operation of all tests.
func DeploymentInput() resources.DeploymentInput {
	return resources.DeploymentInput{Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: OpOcc}}, OpOccID: OpOcc}
}

// ChangingCloud records the last change of its deployment.
type ChangingCloud struct {
	Unused

	Inv     *vim.Inventory
	Settled *vim.Inventory // set by Settle, which must come before any read
	Last    vim.Change
}

// VIM implements resources.VIMs.
func (c *ChangingCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

// Inventory implements vim.VIM.
func (c *ChangingCloud) Inventory(context.Context, string) (*vim.Inventory, error) {
	return c.Settled, nil
}

// Settle implements vim.VIM.
func (c *ChangingCloud) Settle(context.Context, string, string, func(string)) error {
	c.Settled = c.Inv
	return nil
}

// Change implements vim.VIM.
func (c *ChangingCloud) Change(_ context.Context, ch vim.Change, _ func(string)) error {
	c.Last = ch
	return nil
}

// Replaced are the names of the resources that the last change has replaced.
func (c *ChangingCloud) Replaced() (names []string) {
	for _, r := range c.Last.Replace {
		names = append(names, r.Name)
	}
	return names
}
