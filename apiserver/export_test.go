package apiserver

import "github.com/labstack/echo/v4"

// FailuresBurst is how many wrong credentials are answered at once.
const FailuresBurst = failuresBurst

// NeedOf is what a route needs of its clients.
var NeedOf = needOf

// Echo returns the server's router.
func (s *Server) Echo() *echo.Echo { return s.handler.(*echo.Echo) }

// ForgiveFailures ends the limit on wrong credentials.
func (s *Server) ForgiveFailures() { s.failures = newThrottle(0, 0) }
