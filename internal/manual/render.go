package manual

import (
	"bytes"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdown reads what the pages have: tables, too. HTML in a page is left out.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// anchors gives headings the same ids as the sites where the pages are read as well; links between pages use these ids.
type anchors struct{ taken map[string]bool }

var notAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(string(value)), ""), " ", "-")
	for a.taken[id] {
		id += "-1"
	}
	a.taken[id] = true
	return []byte(id)
}

// Put implements parser.IDs.
func (a *anchors) Put(value []byte) { a.taken[string(value)] = true }

// read renders a page.
func (r *rendering) read(name string) (*page, error) {
	source, err := fs.ReadFile(r.source, name)
	if err != nil {
		return nil, err
	}
	ctx := parser.NewContext(parser.WithIDs(&anchors{taken: map[string]bool{}}))
	root := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(ctx))
	r.relink(name, root)
	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, source, root); err != nil {
		return nil, err
	}
	p := &page{Name: name, HTML: template.HTML(html.String())} //nolint:gosec // goldmark escapes what is in our own pages
	p.Sections = sectionsOf(r.Address(name), root, source)
	if len(p.Sections) > 0 {
		p.Title = p.Sections[0].Title
	}
	return p, nil
}

// relink changes links between pages to the rendered files. A link to a file of the repository that is not a page
// becomes plain text.
func (r *rendering) relink(name string, root ast.Node) {
	var outside []*ast.Link
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		if to, ok := r.linkFrom(name, string(link.Destination)); ok {
			link.Destination = []byte(to)
		} else {
			outside = append(outside, link)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range outside {
		unlink(link)
	}
}

// linkFrom returns where a link of a page leads after the pages are rendered. It returns false for a file that is not
// among the rendered files.
func (r *rendering) linkFrom(name, destination string) (string, bool) {
	to, anchor, _ := strings.Cut(destination, "#")
	if to == "" || strings.Contains(to, "://") {
		return destination, true
	}
	full := path.Join(path.Dir(name), to)
	switch {
	case slices.Contains(r.names, full):
		to = strings.TrimSuffix(to, path.Base(to)) + path.Base(r.Address(full))
	case slices.ContainsFunc(r.names, func(n string) bool { return strings.HasPrefix(n, full+"/") }):
		to = r.firstOf(full, to)
	case r.files[full] == nil:
		return "", false
	}
	if anchor != "" {
		to += "#" + anchor
	}
	return to, true
}

// firstOf returns a link to the first page of a directory.
func (r *rendering) firstOf(dir, to string) string {
	i := slices.IndexFunc(r.names, func(n string) bool { return strings.HasPrefix(n, dir+"/") })
	return strings.TrimSuffix(to, "/") + "/" + path.Base(r.Address(r.names[i]))
}

// unlink replaces a link by its text.
func unlink(link *ast.Link) {
	parent := link.Parent()
	for child := link.FirstChild(); child != nil; {
		next := child.NextSibling()
		parent.InsertBefore(parent, link, child)
		child = next
	}
	parent.RemoveChild(parent, link)
}

// sectionsOf returns the headings of a page, each with the text up to the next heading.
func sectionsOf(address string, root ast.Node, source []byte) (out []section) {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		words := wordsOf(n, source)
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			out = append(out, section{Page: address, Title: words, Anchor: string(anchor)})
			continue
		}
		if len(out) > 0 {
			out[len(out)-1].Text += words + " "
		}
	}
	return out
}

// wordsOf returns the text in a node.
func wordsOf(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch t := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(t.Segment.Value(source))
				if t.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(t.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
