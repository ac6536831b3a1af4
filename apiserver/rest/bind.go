package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// ReadJSON reads a body of a JSON type; a client that names no type is believed to mean JSON.
func ReadJSON(c echo.Context, types ...string) ([]byte, error) {
	types = append(types, MimeJSON)
	if header := c.Request().Header.Get("Content-Type"); header != "" {
		media, _, err := mime.ParseMediaType(header)
		if err != nil || !slices.Contains(types, media) {
			return nil, HTTPErrorf(http.StatusUnsupportedMediaType, "The body must be %s, not %q.", types[0], header)
		}
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return nil, err
	}
	return body, nil
}

// Bind reads and checks a JSON body.
func Bind[T any](c echo.Context, types ...string) (T, error) {
	body, err := ReadJSON(c, types...)
	if err != nil {
		var none T
		return none, err
	}
	return Decode[T](body)
}

// BindOptional is Bind for a request that may have no body.
func BindOptional[T any](c echo.Context) (T, error) {
	body, err := ReadJSON(c)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		var none T
		return none, err
	}
	return Decode[T](body)
}

// BindKnown is Bind for changes; see DecodeKnown.
func BindKnown[T any](c echo.Context, at string, ignored []string, types ...string) (T, error) {
	body, err := ReadJSON(c, types...)
	if err != nil {
		var none T
		return none, err
	}
	return DecodeKnown[T](body, at, ignored)
}

// DecodeKnown is Decode for changes. It refuses members that T does not know, unless they are among ignored: the client
// would believe that it had changed them. at is the JSON path of T's changeable members.
func DecodeKnown[T any](body []byte, at string, ignored []string) (T, error) {
	out, err := Decode[T](body)
	if err != nil {
		var none T
		return none, err
	}
	unknown := slices.DeleteFunc(Unknown[T](body, "$"), func(p lcm.Problem) bool {
		return slices.ContainsFunc(ignored, func(name string) bool { return p.Path == lcm.MemberPath(at, name) })
	})
	return out, lcm.InvalidAll("The request has mistakes", unknown)
}

// Unknown returns the members below a path of a body that T does not know. A body with other mistakes may have none.
func Unknown[T any](body []byte, below string) []lcm.Problem {
	return slices.DeleteFunc(requests.Unknown[T](body), func(p lcm.Problem) bool {
		rest, is := strings.CutPrefix(p.Path, below)
		return !is || rest == "" || rest[0] != '.' && rest[0] != '['
	})
}

// IDParam reads a resource's id from the path. All of them are UUIDs: anything else does not exist.
func IDParam[T ~string](c echo.Context, name, what string) (T, error) {
	text := c.Param(name)
	id, err := uuid.Parse(text)
	if err != nil {
		return "", lcm.Errorf(lcm.KindNotFound, "There is no %s %q.", what, text)
	}
	return T(id.String()), nil
}

// WriteJSON answers with JSON. It shows sealed secrets as "***", wherever they are in v.
func WriteJSON(c echo.Context, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Blob(status, MimeJSON, withoutSecrets(b))
}

// withoutSecrets masks the references to sealed secrets in an answer.
func withoutSecrets(doc []byte) []byte {
	if bytes.Contains(doc, []byte(lcm.SecretKey)) {
		return secrets.MaskDocument(doc)
	}
	return doc
}

// NewID makes the id of a resource.
func NewID[T ~string]() T { return T(uuid.NewString()) }

// AsError finds the error of the domain in err.
func AsError(err error) (*lcm.Error, bool) { return errors.AsType[*lcm.Error](err) }
