package kubernetes

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Survey implements vim.Surveyor: the API server checks all objects in dry runs. It also refuses objects that exceed a
// quota of the namespace. Charts look up nothing: everybody who may read may ask for a plan.
func (c *Connection) Survey(ctx context.Context, d vim.Deployment, _ vim.Room) (problems []string, err error) {
	if d.Definition == nil {
		return nil, nil
	}
	of, err := definitionOf(d.Definition)
	if err != nil {
		return nil, err
	}
	p, err := c.plan(ctx, of, &record{Owner: d.Owner}, d.Owner, nil)
	if err == nil {
		err = c.rehearsePlan(ctx, p, d.Owner)
		d.Secrets = slices.Concat(p.secrets, d.Secrets)
	}
	return toldOf(masked(err, d.Secrets))
}

// toldOf separates problems that the VIM would refuse from an error of the survey itself.
func toldOf(err error) (problems []string, unknown error) {
	told := []lcm.ErrorKind{lcm.KindInvalid, lcm.KindConflict, lcm.KindExhausted, lcm.KindNotFound, lcm.KindBroken}
	if err == nil || !slices.ContainsFunc(told, func(k lcm.ErrorKind) bool { return lcm.Is(err, k) }) {
		return nil, err
	}
	e, ok := err.(*lcm.Error) //nolint:errorlint // this package made the error
	if !ok || len(e.Problems) == 0 {
		return []string{lcm.Sentence(err)}, nil
	}
	for _, p := range e.Problems {
		problems = append(problems, p.Path+": "+p.Detail)
	}
	return problems, nil
}
