package rest

import (
	"strings"

	"github.com/labstack/echo/v4"
)

// tackersBlanks are attributes that Tacker's client has a column for and leaves blank: where it does not know an
// attribute, it looks for its name in lower case.
var tackersBlanks = []string{"vnfPkgId", "onboardingFailureDetails"}

// WriteResource answers with a resource. Tacker's client, and nobody else, gets what it would leave blank by the name
// that it looks for, too.
func WriteResource(c echo.Context, status int, view any) error {
	if !strings.Contains(c.Request().UserAgent(), "python-tackerclient") {
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
