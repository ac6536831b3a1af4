package cnf

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/params"
)

// Source is where a file of manifests or a chart is that is not in the VNF package.
type Source struct {
	// URL is that of a file (https://, http://), of a repository of charts, which Chart is set for, or of a chart in an
	// OCI registry (oci://host/path:tag).
	URL string
	// Chart is the name of a chart in the repository, Version its version; "" is the newest.
	Chart, Version string
	// At is the path of the member that names it.
	At string
}

// Key tells the sources of a VNF apart.
func (s Source) Key() string {
	if s.Chart == "" {
		return s.URL
	}
	return fmt.Sprintf("%s %s %s", s.URL, s.Chart, s.Version)
}

// Sources are those that the parameters name, each once. What of them is wrong is left out: ReadParams tells of it.
func (p Params) Sources() (out []Source) {
	known := map[string]bool{}
	add := func(s Source) {
		if !known[s.Key()] {
			known[s.Key()] = true
			out = append(out, s)
		}
	}
	for i, file := range p.Files {
		if isURL(file) && urlProblem(file, webSchemes) == "" {
			add(Source{URL: file, At: params.ItemPath(filesPath, i)})
		}
	}
	for _, c := range p.charts("") {
		if c.source != nil {
			add(*c.source)
		}
	}
	return out
}

var (
	webSchemes   = []string{"https", "http"}
	chartSchemes = []string{"https", "http", "oci"}
)

// urlProblem completes a sentence that begins with the member; "" for a URL that may be asked for.
func urlProblem(text string, schemes []string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme):
		return fmt.Sprintf("%q is no URL of %s", text, strings.Join(schemes, ", "))
	case u.User != nil:
		return "has a user or a password in its URL, which is kept where many can read it: leave it out"
	case u.Fragment != "" || strings.Contains(u.Path, "/../") || strings.Contains(u.Path, "\\"):
		return fmt.Sprintf("%q has a fragment or a path with .. in it", text)
	}
	return ""
}
