package sources

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/expansion"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// index is the used part of index.yaml, the list of a repository of charts
// (https://helm.sh/docs/topics/chart_repository).
type index struct {
	Entries map[string][]entry `json:"entries"`
}

type entry struct {
	Version string   `json:"version"`
	URLs    []string `json:"urls"`
	Digest  string   `json:"digest"`
}

// fromRepository finds a version of a chart in a repository and reads its archive.
func (f *Fetcher) fromRepository(ctx context.Context, base *url.URL, s cnf.Source) ([]byte, error) {
	base.Path = strings.TrimSuffix(base.Path, "/") + "/"
	text, err := f.get(ctx, base.JoinPath("index.yaml"))
	if err != nil {
		return nil, err
	}
	if err := expansion.NewYAML(expansion.MostYAML).TakeFile(text); err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "The index.yaml of the repository %s %s.", withoutQuery(base), err)
	}
	var list index
	if err := yaml.Unmarshal(text, &list); err != nil || list.Entries == nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "%s is no repository of charts: its index.yaml cannot be read.",
			withoutQuery(base))
	}
	found, err := choose(list.Entries[s.Chart], s.Version)
	if err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "The repository %s has no chart %s%s.", withoutQuery(base), s.Chart, err.Error())
	}
	at, err := base.Parse(found.URLs[0])
	if err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "The repository %s names no URL for the chart %s.", withoutQuery(base), s.Chart)
	}
	if at.Scheme == "oci" {
		return f.Fetch(ctx, cnf.Source{URL: at.String()})
	}
	if err := f.mayAsk(at); err != nil {
		return nil, err
	}
	archive, err := f.get(ctx, at)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(archive)
	if want := strings.TrimPrefix(found.Digest, "sha256:"); want != "" && !strings.EqualFold(want, hex.EncodeToString(sum[:])) {
		return nil, lcm.Errorf(lcm.KindInvalid, "%s is not the file of the repository's index: the digests differ.",
			withoutQuery(at))
	}
	return archive, nil
}

// choose is the newest of a chart's versions that matches want, by Helm's rules: a pre-release is chosen only if it is
// named.
func choose(entries []entry, want string) (entry, error) {
	type candidate struct {
		entry

		version *semver.Version
	}
	constraint, err := semver.NewConstraint(cmp.Or(want, "*"))
	if err != nil {
		return entry{}, wanting(want)
	}
	var candidates []candidate
	for _, e := range entries {
		v, err := semver.NewVersion(e.Version)
		if err != nil || len(e.URLs) == 0 || e.Version != want && !constraint.Check(v) {
			continue
		}
		candidates = append(candidates, candidate{e, v})
	}
	if len(candidates) == 0 {
		return entry{}, wanting(want)
	}
	return slices.MaxFunc(candidates, func(a, b candidate) int {
		if a.Version == want || b.Version == want {
			return cmp.Compare(btoi(a.Version == want), btoi(b.Version == want))
		}
		return a.version.Compare(b.version)
	}).entry, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wanting ends a sentence about a missing chart.
type wanting string

func (w wanting) Error() string {
	if w == "" {
		return ""
	}
	return " in version " + string(w)
}
