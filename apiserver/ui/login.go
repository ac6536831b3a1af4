package ui

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
)

// Settings are what the page needs from the server.
type Settings struct {
	// Tokens names the header for a token that the reader already has, by the name of the way to log in. It is empty
	// where clients do not authenticate, or only by a certificate.
	Tokens map[string]string `json:"tokens"`
	// Asked is set if clients must authenticate.
	Asked bool `json:"asked"`
	// Temporal is the Web UI of Temporal with its namespace, such as https://temporal.example/namespaces/windlass; "" for
	// none. Traces is where a trace is shown, with {traceId} in it.
	Temporal string `json:"temporal,omitempty"`
	Traces   string `json:"traces,omitempty"`
	// Project and Version describe the server on the page.
	Version string `json:"version,omitempty"`
}

// Passwords logs users in by their passwords.
type Passwords interface {
	LogIn(ctx context.Context, u auth.KeystoneUser) (auth.Token, error)
}

// Codes is the issuer's side of the authorization code flow (RFC 6749 clause 4.1, RFC 7636).
type Codes interface {
	// Authorization is where a browser is sent to, with the parameters that are the same for everybody.
	Authorization(ctx context.Context) (string, error)
	// Redeem exchanges the code for a token.
	Redeem(ctx context.Context, code, verifier, redirectURI string) (auth.Token, error)
}

type settingsView struct {
	Settings
	// Passwords is set where Keystone logs users in, Authorization where an issuer does.
	Passwords     bool   `json:"passwords"`
	Authorization string `json:"authorization,omitempty"`
	// AuthorizationError tells why the authorization endpoint is not known now.
	AuthorizationError string `json:"authorizationError,omitempty"`
}

func (h *Handler) readSettings(c echo.Context) error {
	v := settingsView{Settings: h.Settings, Passwords: h.Keystone != nil}
	if v.Tokens == nil {
		v.Tokens = map[string]string{}
	}
	if h.Issuer != nil {
		var err error
		if v.Authorization, err = h.Issuer.Authorization(c.Request().Context()); err != nil {
			v.AuthorizationError = rest.Sentence(err)
		}
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return rest.WriteJSON(c, http.StatusOK, v)
}

type loginRequest struct {
	Username      string `json:"username"`
	Password      string `json:"password"`
	UserDomain    string `json:"userDomain"`
	Project       string `json:"project"`
	ProjectDomain string `json:"projectDomain"`
}

type redeemRequest struct {
	Code        string `json:"code"`
	Verifier    string `json:"verifier"`
	RedirectURI string `json:"redirectUri"`
}

type tokenView struct {
	// Header and Value are the header that authenticates later requests.
	Header string     `json:"header"`
	Value  string     `json:"value"`
	Until  *time.Time `json:"until,omitempty"`
}

// logIn gets a token of Keystone for a user and password.
func (h *Handler) logIn(c echo.Context) error {
	if h.Keystone == nil {
		return rest.HTTPErrorf(http.StatusNotFound, "This server does not offer login with a password.")
	}
	req, err := bind[loginRequest](c)
	if err != nil {
		return err
	}
	token, err := h.Keystone.LogIn(c.Request().Context(), auth.KeystoneUser(req))
	return answer(c, "X-Auth-Token", "", token, err)
}

// redeem gets a token of the issuer for an authorization code.
func (h *Handler) redeem(c echo.Context) error {
	if h.Issuer == nil {
		return rest.HTTPErrorf(http.StatusNotFound, "This server does not offer login at an issuer of tokens.")
	}
	req, err := bind[redeemRequest](c)
	if err != nil {
		return err
	}
	token, err := h.Issuer.Redeem(c.Request().Context(), req.Code, req.Verifier, req.RedirectURI)
	return answer(c, "Authorization", "Bearer ", token, err)
}

// bind reads a request that only a page of this server can send: another page needs a preflight for a body of that
// type.
func bind[T any](c echo.Context) (req T, err error) {
	r := c.Request()
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != rest.MimeJSON {
		return req, rest.HTTPErrorf(http.StatusUnsupportedMediaType, "The body must be %s, not %q.", rest.MimeJSON, media)
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return req, rest.HTTPErrorf(http.StatusForbidden, "A page of another origin may not log users in here.")
	}
	return rest.Bind[T](c)
}

func answer(c echo.Context, header, before string, token auth.Token, err error) error {
	if refused, ok := errors.AsType[*auth.RefusalError](err); ok {
		return rest.HTTPErrorf(http.StatusUnauthorized, "%s", refused.Detail)
	}
	if err != nil {
		return err
	}
	v := tokenView{Header: header, Value: before + token.Value}
	if !token.Until.IsZero() {
		v.Until = &token.Until
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return rest.WriteJSON(c, http.StatusOK, v)
}
