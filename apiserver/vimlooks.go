package apiserver

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/vims"
)

// lookAtVims keeps the status of the VIMs fresh until ctx ends.
func (s *Server) lookAtVims(ctx context.Context) error {
	registry := vims.Handler{Backend: s.backend, Checker: s.Vims}
	tick := time.NewTicker(s.LookAtVimsEvery / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := registry.LookAgain(ctx, s.LookAtVimsEvery); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "The VIMs could not be looked at; it goes on at the next tick", "error", err)
		}
	}
}
