package rest

import "github.com/labstack/echo/v4"

// madeKey is where a handler leaves the path of what it has made when it answers without a Location.
const madeKey = "resource"

// NoteMade keeps the path of what a request has made for its audit record.
func NoteMade(c echo.Context, path string) { c.Set(madeKey, path) }

// NotedMade is the path that NoteMade has kept.
func NotedMade(c echo.Context) (path string, ok bool) {
	path, ok = c.Get(madeKey).(string)
	return path, ok
}
