package apiserver

import (
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/extensions"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/subscriptions"
	"github.com/windlass-nfv/windlass/apiserver/vims"
	"github.com/windlass-nfv/windlass/apiserver/vnflcm"
	"github.com/windlass-nfv/windlass/apiserver/vnfpkgm"
	"github.com/windlass-nfv/windlass/internal/onboard"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// addRoutes adds routes below a prefix. Their requests pass the middleware before first.
type addRoutes func(prefix string, routes []rest.Route, before ...echo.MiddlewareFunc)

// addFamilies adds the routes of all families. needOf has the access that each of them needs.
func (s *Server) addFamilies(add addRoutes) {
	lifecycle, subscribed, added := s.lifecycleManagement(), s.subscriptions(), s.extensions()
	for _, root := range []rest.Root{rest.LcmV1, rest.LcmV2} {
		strict := root.Number == 1 && s.API.StrictV1 || root.Number == 2 && !s.API.TolerantV2
		add(root.Prefix, lifecycle.Routes(root), rest.CheckVersion(root, strict), acceptsJSON)
		add(root.Prefix, subscribed.Lifecycle(root), rest.CheckVersion(root, strict), acceptsJSON)
	}
	before := []echo.MiddlewareFunc{acceptsJSON}
	if s.API.StrictV1 { // else the header is ignored, as Tacker does
		before = append(before, rest.CheckVersion(rest.PkgV1, true))
	}
	add(rest.PkgV1.Prefix, s.packages().Routes(), before...)
	add(rest.PkgV1.Prefix, subscribed.Packages(), before...)
	registry := vims.Handler{Backend: s.backend, Checker: s.Vims}
	add("/v1.0", registry.Routes(), acceptsJSON)
	add("/windlass/v1", registry.Extensions(), acceptsJSON)
	// The extensions have a root of their own, so that nothing is added to SOL003's bodies.
	add("/windlass/v1", added.Routes(), acceptsJSON)
	add("/windlass/v1", lifecycle.Extensions(), acceptsJSON)
	add("/windlass/v1", subscribed.DeadLetters(), acceptsJSON)
	add("/server_notification", added.Notifications())
}

func (s *Server) lifecycleManagement() *vnflcm.Handler {
	return &vnflcm.Handler{
		Backend: s.backend, Starter: s.Starter,
		Operations:    &operations.Resolver{Store: s.Store, Vault: s.Vault, Scripts: s.Scripts.Policy},
		GrantedByNFVO: s.GrantedByNFVO, NFVOPackages: s.NFVOPackages, FetchPatience: s.FetchPatience,
		Python: s.Python, Ansible: s.Scripts.Ansible, SkipTackerV1: s.Scripts.SkipTackerV1, PodNetwork: s.PodNetwork,
		Files: s.Files, Surveyor: s.Surveyor,
	}
}

func (s *Server) packages() *vnfpkgm.Handler {
	return &vnfpkgm.Handler{
		Backend: s.backend, Sources: s.Sources,
		Onboarder: &onboard.Onboarder{Store: s.Store, Limits: s.PackageLimits, Trust: s.PackageTrust},
	}
}

func (s *Server) subscriptions() *subscriptions.Handler {
	return &subscriptions.Handler{
		Backend: s.backend, Subscribers: s.Subscribers, NoCallbackTest: !s.Notifications.TestCallback,
		DuplicateSubscriptions: s.Notifications.Duplicates, MostSubscriptions: s.Notifications.Subscriptions,
	}
}

func (s *Server) extensions() *extensions.Handler {
	return &extensions.Handler{
		Backend: s.backend, Checks: s.Checks, Clusters: s.Clusters, Tracing: s.Tracing, Streams: s.streams, Heartbeat: s.Heartbeat,
		Version: s.Version,
	}
}
