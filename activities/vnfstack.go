package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// vnfStack is the stack of an operation's VNF in its cloud. Whether it is there is another question.
type vnfStack struct {
	cloud       vim.VIM
	name, owner string
	show        func(line string) // what a person reads of the step
}

func (i *Infrastructure) stackOf(ctx context.Context, id lcm.OpOccID, step lcm.StepRef) (s vnfStack, err error) {
	if s.cloud, err = i.VIMs.VIM(ctx, id); err != nil {
		return s, err
	}
	if s.name, s.owner, err = i.Stacks.StackName(ctx, id); err != nil {
		return s, err
	}
	s.show = i.Output.Lines(ctx, step)
	return s, nil
}

// settle waits until Heat has ended what it does with the stack.
func (s vnfStack) settle(ctx context.Context) error {
	return s.cloud.Settle(ctx, s.name, s.owner, s.show)
}
