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
			s.log.WarnContext(ctx, "Windlass could not check the VIMs; it continues at the next run", "error", err)
		}
	}
}
