package kubernetes

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Survey implements vim.Surveyor: the API server goes through all objects without keeping any. It refuses also what a
// quota of the namespace has no room for.
func (c *Cluster) Survey(ctx context.Context, d vim.Deployment, _ vim.Room) (problems []string, err error) {
	if d.Definition == nil {
		return nil, nil
	}
	of, err := definitionOf(d.Definition)
	if err != nil {
		return nil, err
	}
	p, err := c.plan(ctx, of, &record{Owner: d.Owner}, d.Owner)
	if err == nil {
		err = c.rehearsePlan(ctx, p, d.Owner)
		d.Secrets = slices.Concat(p.secrets, d.Secrets)
	}
	return toldOf(masked(err, d.Secrets))
}

// toldOf tells what the VIM would refuse from why it could not tell.
func toldOf(err error) (problems []string, unknown error) {
	told := []lcm.Kind{lcm.KindInvalid, lcm.KindConflict, lcm.KindExhausted, lcm.KindNotFound, lcm.KindBroken}
	if err == nil || !slices.ContainsFunc(told, func(k lcm.Kind) bool { return lcm.Is(err, k) }) {
		return nil, err
	}
	e, ok := err.(*lcm.Error) //nolint:errorlint // what is told is made here
	if !ok || len(e.Problems) == 0 {
		return []string{lcm.Sentence(err)}, nil
	}
	for _, p := range e.Problems {
		problems = append(problems, p.Path+": "+p.Detail)
	}
	return problems, nil
}
