package rest

import (
	"strings"

	"github.com/labstack/echo/v4"
)

// tackersBlanks are attributes that have a blank column in Tacker's client: it looks for an attribute that it does not
// know by the lower-case name.
var tackersBlanks = []string{"vnfPkgId", "onboardingFailureDetails"}

// OfTackersClient tells whether Tacker's own client has sent the request.
func OfTackersClient(c echo.Context) bool {
	return strings.Contains(c.Request().UserAgent(), "python-tackerclient")
}

// WriteResource answers with a resource. For Tacker's client only, it repeats some attributes under the names that this
// client expects; else the client would show blanks.
func WriteResource(c echo.Context, status int, view any) error {
	if !OfTackersClient(c) {
		return WriteJSON(c, status, view)
	}
	doc, err := ExactDocument(view)
	if err != nil {
		return err
	}
	for _, name := range tackersBlanks {
		if value, ok := doc[name]; ok {
			doc[strings.ToLower(name)] = value
		}
	}
	return WriteJSON(c, status, doc)
}
