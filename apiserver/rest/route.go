package rest

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// Route is one row of the table of routes. path begins below the API's root.
type Route struct {
	Method, Path string
	Handle       echo.HandlerFunc
}

// Get is a route that reads.
func Get(path string, h echo.HandlerFunc) Route { return Route{http.MethodGet, path, h} }

// Post is a route that makes something, or does something.
func Post(path string, h echo.HandlerFunc) Route { return Route{http.MethodPost, path, h} }

// Put is a route that takes the place of something.
func Put(path string, h echo.HandlerFunc) Route { return Route{http.MethodPut, path, h} }

// Patch is a route that changes something.
func Patch(path string, h echo.HandlerFunc) Route { return Route{http.MethodPatch, path, h} }

// Delete is a route that deletes something.
func Delete(path string, h echo.HandlerFunc) Route { return Route{http.MethodDelete, path, h} }
