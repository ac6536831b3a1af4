// Package docs has the pages that a server shows itself.
package docs

import "embed"

// Pages has troubleshooting.md, which says what errors mean, kind by kind: every error of the API leads there.
//
//go:embed troubleshooting.md
var Pages embed.FS
