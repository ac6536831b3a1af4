// Command docsite renders the documentation as a static site with its own search. It needs no server: the pages can be
// opened as files.
package main

import (
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed assets
var assets embed.FS

func main() {
	docs := flag.String("docs", "docs", "`directory` of the pages")
	out := flag.String("o", ".build/site", "`directory` to write")
	flag.Parse()
	pages, err := build(*docs, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "docsite:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages are in %s. Begin with %s.\n", pages, *out, filepath.Join(*out, "index.html"))
}

// build renders every page below docs.
func build(docs, out string) (int, error) {
	source := os.DirFS(docs)
	var names []string
	err := fs.WalkDir(source, ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	slices.Sort(names)
	s := &site{source: source, out: out, names: names}
	for _, name := range names {
		if err := s.read(name); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, p := range s.pages {
		if err := s.write(p); err != nil {
			return 0, err
		}
	}
	return len(s.pages), s.complete()
}

// site is the site that docsite renders.
type site struct {
	source fs.FS
	out    string
	names  []string
	pages  []*page
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

// target returns the file of a page.
func target(name string) string {
	dir, file := path.Split(name)
	if file == "README.md" {
		return dir + "index.html"
	}
	return dir + strings.TrimSuffix(file, ".md") + ".html"
}

// navigation is the order of the groups in which pages are listed.
var navigation = []struct{ Heading, Prefix string }{
	{"How-to", "how-to/"}, {"Reference", "reference/"}, {"Explanation", "explanation/"}, {"Decisions", "adr/"}, {"Guides", ""},
}

// group is a part of the navigation.
type group struct {
	Heading string
	Pages   []*page
}

func (s *site) groups() (out []group) {
	for _, n := range navigation {
		g := group{Heading: n.Heading}
		for _, p := range s.pages {
			if n.Prefix != "" && strings.HasPrefix(p.Name, n.Prefix) || n.Prefix == "" && !strings.Contains(p.Name, "/") {
				g.Pages = append(g.Pages, p)
			}
		}
		out = append(out, g)
	}
	slices.Reverse(out) // the guides, the tutorial among them, come first
	return out
}

var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{"target": target}).
	ParseFS(assets, "assets/page.html"))

func (s *site) write(p *page) error {
	file := filepath.Join(s.out, filepath.FromSlash(target(p.Name)))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // a site is for everybody
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return layout.Execute(f, map[string]any{
		"Page": p, "Groups": s.groups(), "Root": strings.Repeat("../", strings.Count(p.Name, "/")),
	})
}

// complete writes the files that all pages use: style, search, pictures.
func (s *site) complete() error {
	var sections []section
	for _, p := range s.pages {
		sections = append(sections, p.Sections...)
	}
	index, err := json.Marshal(sections)
	if err != nil {
		return err
	}
	// The index is a script, because a page that is opened as a file may not fetch other files.
	files := map[string][]byte{"search-index.js": append([]byte("const sections = "), append(index, ';', '\n')...)}
	for _, name := range []string{"search.js", "style.css"} {
		if files[name], err = assets.ReadFile("assets/" + name); err != nil {
			return err
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(s.out, name), content, 0o644); err != nil { //nolint:gosec // for everybody
			return err
		}
	}
	images, err := fs.Sub(s.source, "images")
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(s.out, "images")); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(s.out, "images"), images)
}
