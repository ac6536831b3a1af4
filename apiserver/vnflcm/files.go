package vnflcm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// fetchesAtOnce is how many files of one request are fetched at the same time.
	fetchesAtOnce = 4
	// mostSources is how many files of one request may be elsewhere.
	mostSources = 50
)

// fetchFiles stores, with the VNF, the manifests and charts that a request names by URLs. So all its operations find
// the files that the request was checked with. An existing VNF keeps its files: a URL means the same to it until it is
// terminated. fetchFiles returns the files that it could not get.
func (a *api) fetchFiles(
	ctx context.Context, inst lcm.VnfInstance, additionalParams json.RawMessage,
) (away []lcm.Problem, err error) {
	p, _ := cnf.ReadParams(additionalParams) // another check reports mistakes in them
	sources := p.Sources()
	if len(sources) > mostSources {
		return []lcm.Problem{{Path: sources[mostSources].At, Detail: fmt.Sprintf(
			"is a file too many: a request may name %d by their URLs", mostSources)}}, nil
	}
	problems := make([]*lcm.Error, len(sources))
	var all errgroup.Group
	all.SetLimit(fetchesAtOnce)
	for i, s := range sources {
		all.Go(func() error {
			err := a.fetchFile(ctx, inst, s)
			if e, ok := errors.AsType[*lcm.Error](err); ok && (e.Kind == lcm.KindDenied || e.Kind == lcm.KindInvalid) {
				problems[i] = e
				return nil
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	for i, e := range problems {
		if e != nil {
			away = append(away, lcm.Problem{Path: sources[i].At, Detail: e.Sentence()})
		}
	}
	return away, nil
}

func (a *api) fetchFile(ctx context.Context, inst lcm.VnfInstance, s cnf.Source) error {
	if inst.Instantiated != nil {
		if _, err := a.Store.Fetched(ctx, inst.ID, s.Key()); !lcm.Is(err, lcm.KindNotFound) {
			return err
		}
	}
	if a.Files == nil {
		return lcm.Errorf(lcm.KindDenied, "Nothing may be fetched from %s (packages.allowedSources).", s.URL)
	}
	if !mayBringFiles(ctx) { // a plan of a reader
		return lcm.Errorf(lcm.KindDenied, "Windlass fetches %s only for clients that may begin such an operation.", s.URL)
	}
	content, err := a.Files.Fetch(ctx, s)
	if err != nil {
		return err
	}
	return a.Store.KeepFetched(ctx, inst.ID, s.Key(), content)
}

// mayBringFiles tells whether the client might send an operation whose request brings files.
func mayBringFiles(ctx context.Context) bool {
	return slices.ContainsFunc(lcm.Operations[:], func(t lcm.OperationType) bool {
		return (t.Name.Makes() || t.Repackages) && mayAsk(ctx, t.Name)
	})
}
