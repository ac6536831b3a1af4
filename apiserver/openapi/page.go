package openapi

import (
	"embed"
	"io/fs"

	swagger "github.com/swaggo/files/v2"
)

//go:embed page
var own embed.FS

// pageFile is a file that a browser needs for the page of the API, and its path.
type pageFile struct {
	in        fs.FS
	path      string
	mediaType string
}

const script = "text/javascript; charset=utf-8"

// pageFiles are by their names; the page itself is "api".
var pageFiles = map[string]pageFile{
	"api":                  {own, "page/index.html", "text/html; charset=utf-8"},
	"page.js":              {own, "page/page.js", script},
	"page.css":             {own, "page/page.css", "text/css; charset=utf-8"},
	"swagger-ui-bundle.js": {swagger.FS, "swagger-ui-bundle.js", script},
	"swagger-ui.css":       {swagger.FS, "swagger-ui.css", "text/css; charset=utf-8"},
	"favicon-32x32.png":    {swagger.FS, "favicon-32x32.png", "image/png"},
}

// PageFile reads a file of the page, "api" for the page itself. It is fs.ErrNotExist when there is none of that name.
func PageFile(name string) (content []byte, mediaType string, err error) {
	file, ok := pageFiles[name]
	if !ok {
		return nil, "", fs.ErrNotExist
	}
	content, err = fs.ReadFile(file.in, file.path)
	return content, file.mediaType, err
}
