// Package manual renders the documentation as pages of HTML: for the API server, which serves them, and for a site of
// files.
package manual

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed assets
var assets embed.FS

// Options are the differences between one place of the pages and another.
type Options struct {
	// Address returns the path of the rendered page, for the path of its Markdown file. Both have the same folder.
	Address func(name string) string
	// Links are in the head of every page, beside the search.
	Links []Link
}

// Link leads out of the pages. Href is relative to the folder that has all pages.
type Link struct{ Text, Href string }

// Render renders every page in source. The result has all files that the pages need, by their paths: the pages, their
// style, their search, pictures and other files that they link to.
func Render(source fs.FS, o Options) (map[string][]byte, error) {
	r := &rendering{Options: o, source: source, files: map[string][]byte{}}
	if err := fs.WalkDir(source, ".", r.list); err != nil {
		return nil, err
	}
	slices.Sort(r.names)
	for _, name := range r.names {
		p, err := r.read(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.pages = append(r.pages, p)
	}
	for _, p := range r.pages {
		if err := r.write(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return r.files, r.addSearchAndStyle()
}

// rendering is a manual that is being rendered.
type rendering struct {
	Options
	source fs.FS
	names  []string // the Markdown files
	pages  []*page
	files  map[string][]byte
}

// page is a rendered page.
type page struct {
	Name, Title string // Name is the path of its Markdown file
	HTML        template.HTML
	Sections    []section
}

// section is an entry of the search.
type section struct {
	Page   string `json:"page"`
	Title  string `json:"title"`
	Anchor string `json:"anchor"`
	Text   string `json:"text"`
}

// list notes the pages, and takes over the files that pages show or link to.
func (r *rendering) list(name string, _ fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	switch path.Ext(name) {
	case ".md":
		r.names = append(r.names, name)
	case ".png", ".txt":
		r.files[name], err = fs.ReadFile(r.source, name)
	}
	return err
}

// navigation is the order of the groups in which pages are listed. The guides are the pages that are in no folder.
var navigation = []struct{ Heading, Prefix string }{
	{"Guides", ""},
	{"How-to", "how-to/"},
	{"Reference", "reference/"},
	{"Explanation", "explanation/"},
	{"Decisions", "adr/"},
}

// group is a part of the navigation.
type group struct {
	Heading string
	Pages   []*page
}

func (r *rendering) groups() (out []group) {
	for _, n := range navigation {
		g := group{Heading: n.Heading}
		for _, p := range r.pages {
			if n.Prefix != "" && strings.HasPrefix(p.Name, n.Prefix) || n.Prefix == "" && !strings.Contains(p.Name, "/") {
				g.Pages = append(g.Pages, p)
			}
		}
		out = append(out, g)
	}
	return out
}

var layout = template.Must(template.ParseFS(assets, "assets/page.html"))

// write puts a page into its layout.
func (r *rendering) write(p *page) error {
	var b bytes.Buffer
	err := layout.Execute(&b, map[string]any{
		"Page": p, "Groups": r.groups(), "Links": r.Links, "Root": strings.Repeat("../", strings.Count(p.Name, "/")),
		"Home": r.Address("README.md"), "Address": r.Address,
	})
	r.files[r.Address(p.Name)] = b.Bytes()
	return err
}

// addSearchAndStyle adds the files that all pages use.
func (r *rendering) addSearchAndStyle() error {
	var sections []section
	for _, p := range r.pages {
		sections = append(sections, p.Sections...)
	}
	index, err := json.Marshal(sections)
	if err != nil {
		return err
	}
	// The index is a script, because a page that is opened as a file may not fetch other files.
	r.files["search-index.js"] = append([]byte("const sections = "), append(index, ';', '\n')...)
	for _, name := range []string{"search.js", "style.css"} {
		if r.files[name], err = assets.ReadFile("assets/" + name); err != nil {
			return err
		}
	}
	return nil
}
