// Package docs has the documentation as part of the binary: every API server shows it.
package docs

import "embed"

// Pages has the pages, and the files that they show or link to. Every error of the API leads to a heading of
// troubleshooting.md.
//
//go:embed *.md *.txt adr/*.md explanation/*.md how-to/*.md images/*.png reference/*.md
var Pages embed.FS
