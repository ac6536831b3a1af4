package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// readJSON reads a body of a JSON type; a client that names no type is believed to mean JSON.
func readJSON(c echo.Context, types ...string) ([]byte, error) {
	types = append(types, mimeJSON)
	if header := c.Request().Header.Get("Content-Type"); header != "" {
		media, _, err := mime.ParseMediaType(header)
		if err != nil || !slices.Contains(types, media) {
			return nil, httpErrorf(http.StatusUnsupportedMediaType, "The body must be %s, not %q.", types[0], header)
		}
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return nil, err
	}
	return body, nil
}

// bind reads and checks a JSON body.
func bind[T any](c echo.Context, types ...string) (T, error) {
	body, err := readJSON(c, types...)
	if err != nil {
		var none T
		return none, err
	}
	return decode[T](body)
}

// idParam reads a resource's id from the path. All of them are UUIDs: anything else does not exist.
func idParam[T ~string](c echo.Context, name, what string) (T, error) {
	text := c.Param(name)
	id, err := uuid.Parse(text)
	if err != nil {
		return "", lcm.Errorf(lcm.KindNotFound, "There is no %s %q.", what, text)
	}
	return T(id.String()), nil
}

// writeJSON answers with JSON. Sealed secrets become "***" here, whatever was put into v.
func writeJSON(c echo.Context, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Blob(status, mimeJSON, withoutSecrets(b))
}

// withoutSecrets masks what stands for a sealed secret in an answer.
func withoutSecrets(doc []byte) []byte {
	if bytes.Contains(doc, []byte(lcm.SecretKey)) {
		return secrets.MaskDocument(doc)
	}
	return doc
}

func newID[T ~string]() T { return T(uuid.NewString()) }

// parseID brings a UUID into its usual form.
func parseID[T ~string](id T) (T, error) {
	u, err := uuid.Parse(string(id))
	if err != nil {
		return "", lcm.Wrap(lcm.KindNotFound, err, "There is no %q.", string(id))
	}
	return T(u.String()), nil
}

func asError(err error) (*lcm.Error, bool) { return errors.AsType[*lcm.Error](err) }
