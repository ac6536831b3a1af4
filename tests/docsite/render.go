package main

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

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

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
func (s *site) read(name string) error {
	source, err := fs.ReadFile(s.source, name)
	if err != nil {
		return err
	}
	ctx := parser.NewContext(parser.WithIDs(&anchors{taken: map[string]bool{}}))
	root := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(ctx))
	s.relink(name, root)
	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, source, root); err != nil {
		return err
	}
	p := &page{Name: name, HTML: template.HTML(html.String())} //nolint:gosec // goldmark escapes what is in our own pages
	p.Sections = sectionsOf(name, root, source)
	if len(p.Sections) > 0 {
		p.Title = p.Sections[0].Title
	}
	s.pages = append(s.pages, p)
	return nil
}

// relink changes links between pages to the rendered files. A link to a file of the repository that is not a page
// becomes plain text.
func (s *site) relink(name string, root ast.Node) {
	var outside []*ast.Link
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		to, anchor, _ := strings.Cut(string(link.Destination), "#")
		if to == "" || strings.Contains(to, "://") {
			return ast.WalkContinue, nil
		}
		full := path.Join(path.Dir(name), to)
		switch {
		case slices.Contains(s.names, full):
			to = strings.TrimSuffix(to, path.Base(to)) + path.Base(target(full))
		case slices.ContainsFunc(s.names, func(n string) bool { return strings.HasPrefix(n, full+"/") }):
			to = s.firstOf(full, to)
		case !strings.HasPrefix(full, "images/"):
			outside = append(outside, link)
			return ast.WalkContinue, nil
		}
		if anchor != "" {
			to += "#" + anchor
		}
		link.Destination = []byte(to)
		return ast.WalkContinue, nil
	})
	for _, link := range outside {
		unlink(link)
	}
}

// firstOf returns a link to the first page of a directory.
func (s *site) firstOf(dir, to string) string {
	i := slices.IndexFunc(s.names, func(n string) bool { return strings.HasPrefix(n, dir+"/") })
	return strings.TrimSuffix(to, "/") + "/" + path.Base(target(s.names[i]))
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
func sectionsOf(name string, root ast.Node, source []byte) (out []section) {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		words := wordsOf(n, source)
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			out = append(out, section{Page: target(name), Title: words, Anchor: string(anchor)})
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
