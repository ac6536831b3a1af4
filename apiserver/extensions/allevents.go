package extensions

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// heldPause is how long the stream of all operations waits for a missing event number: the event may not be committed
// yet.
const heldPause = 100 * time.Millisecond

// allEvents streams the events of all operations that the client may see, and the findings of checks for drift. Without
// a Last-Event-ID, or ?after=, the stream begins now. It ends only when the client's credentials expire.
func (h *Handler) allEvents(c echo.Context) error {
	after, err := lastEventID(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	defer context.AfterFunc(h.Streams, cancel)() // a server that stops ends its streams; clients come back elsewhere
	if c.Request().Header.Get("Last-Event-ID") == "" && c.QueryParam("after") == "" {
		if after, err = h.Store.LastEvent(ctx); err != nil {
			return err
		}
	}
	closed, err := h.streams.open(c)
	if err != nil {
		return err
	}
	defer closed()
	defer h.Store.FollowAllEvents()()
	startStream(c)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	stream := &eventStream{c: c}
	stream.raw("retry: 2000\n\n")
	return untilExpiry(ctx, stream, func(ctx context.Context) error { return h.followAll(ctx, stream, after) })
}

// followAll writes the events of all operations until the client goes.
func (h *Handler) followAll(ctx context.Context, stream *eventStream, after int64) error {
	for stream.err == nil && ctx.Err() == nil {
		events, next, held, err := h.Store.AllEvents(ctx, after)
		if err != nil {
			return err
		}
		for _, e := range events {
			stream.event(e)
		}
		switch {
		case next > after:
			after = next
		case held:
			pause(ctx, heldPause)
		default:
			if err := h.await(ctx, stream, func(ctx context.Context) error {
				return h.Store.WaitAllEvents(ctx, after)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// ofOperation adds the ids of the VNF and of the operation to the data of an event, for the stream of all operations.
func ofOperation(e lcm.Event, data []byte) ([]byte, error) {
	if e.VnfInstanceID == "" {
		return data, nil
	}
	members := map[string]any{}
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	members["vnfInstanceId"] = e.VnfInstanceID
	if e.OpOccID != "" {
		members["vnfLcmOpOccId"] = e.OpOccID
	}
	return json.Marshal(members)
}
