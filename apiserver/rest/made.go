package rest

import "github.com/labstack/echo/v4"

// madeKey is the context's key for the path of a made resource, when the handler answers without a Location.
const madeKey = "resource"

// NoteMade keeps the path of the resource that a request has made, for the audit record.
func NoteMade(c echo.Context, path string) { c.Set(madeKey, path) }

// NotedMade is the path that NoteMade has kept.
func NotedMade(c echo.Context) (path string, ok bool) {
	path, ok = c.Get(madeKey).(string)
	return path, ok
}
