// Command docsite renders the documentation as a static site with its own search. It needs no server: the pages can be
// opened as files.
package main

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/windlass-nfv/windlass/internal/manual"
)

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

// build renders every page below docs, and counts them.
func build(docs, out string) (pages int, err error) {
	files, err := manual.Render(os.DirFS(docs), manual.Options{Address: target})
	if err != nil {
		return 0, err
	}
	for name, content := range files {
		if path.Ext(name) == ".html" {
			pages++
		}
		if err := write(filepath.Join(out, filepath.FromSlash(name)), content); err != nil {
			return 0, err
		}
	}
	return pages, nil
}

// target returns the file of a page.
func target(name string) string {
	dir, file := path.Split(name)
	if file == "README.md" {
		return dir + "index.html"
	}
	return dir + strings.TrimSuffix(file, ".md") + ".html"
}

func write(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // a site is for everybody
		return err
	}
	return os.WriteFile(file, content, 0o644) //nolint:gosec // a site is for everybody
}
