package cnf

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/params"
)

// Source is the place of a manifest file or a chart outside the VNF package.
type Source struct {
	// URL is the URL of a file (https://, http://), of a chart repository (then Chart is set), or of a chart in an OCI
	// registry (oci://host/path:tag).
	URL string
	// Chart is the name of a chart in the repository, Version its version; "" is the newest.
	Chart, Version string
	// At is the JSON path of the member with the URL.
	At string
}

// Key identifies a source among those of a VNF.
func (s Source) Key() string {
	if s.Chart == "" {
		return s.URL
	}
	return fmt.Sprintf("%s %s %s", s.URL, s.Chart, s.Version)
}

// Sources are the sources in the parameters, each once. It leaves out invalid ones: ReadParams reports them.
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

// urlProblem completes a sentence that begins with the member; "" for a valid URL.
func urlProblem(text string, schemes []string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme):
		return fmt.Sprintf("%q is no URL of %s", text, strings.Join(schemes, ", "))
	case u.User != nil:
		return "has a user or a password in its URL, which many people can read: leave it out"
	case u.Fragment != "" || strings.Contains(u.Path, "/../") || strings.Contains(u.Path, "\\"):
		return fmt.Sprintf("%q has a fragment or a path with .. in it", text)
	}
	return ""
}
