package extensions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
)

// eventPage is how many events are read at once: a client that comes late gets them in pages.
const eventPage = 200

// events streams the events of an operation (server-sent events). A client that lost the connection resumes after the
// Last-Event-ID that it sends; ?after= does the same by hand. The stream ends with the operation, or when the client's
// credentials expire.
func (h *Handler) events(c echo.Context) error {
	o, err := h.PathOpOcc(c)
	if err != nil {
		return err
	}
	after, err := lastEventID(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	defer context.AfterFunc(h.Streams, cancel)() // a server that stops ends its streams; clients come back elsewhere

	first, err := h.Store.Events(ctx, o.ID, after, eventPage)
	if err != nil {
		return err
	}
	if len(first) == 0 && o.State.Terminal() {
		return c.NoContent(http.StatusNoContent) // tells an EventSource not to come back
	}
	closed, err := h.streams.open(c)
	if err != nil {
		return err
	}
	defer closed()
	startStream(c)
	if c.Request().Method == http.MethodHead { // a HEAD needs no events, and the headers are complete
		return nil
	}
	stream := &eventStream{c: c}
	stream.raw("retry: 2000\n\n")
	return untilExpiry(ctx, stream, func(ctx context.Context) error { return h.follow(ctx, stream, o.ID, after) })
}

func startStream(c echo.Context) {
	header := c.Response().Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // proxies must pass events on at once
	c.Response().WriteHeader(http.StatusOK)
}

// expired is the last line of a stream when the client's credentials have expired.
const expired = ": The credentials of this request have expired. Open the stream again with new ones and the " +
	"Last-Event-ID.\n\n"

// untilExpiry follows the stream until the client's credentials expire: to come back, the client must show new ones.
func untilExpiry(ctx context.Context, stream *eventStream, follow func(context.Context) error) error {
	who, _ := auth.From(ctx)
	if who.Until.IsZero() {
		return follow(ctx)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, who.Until, errExpired)
	defer cancel()
	err := follow(ctx)
	if errors.Is(context.Cause(ctx), errExpired) {
		stream.raw(expired)
		return nil
	}
	return err
}

var errExpired = errors.New("the credentials have expired")

func lastEventID(c echo.Context) (int64, error) {
	text := c.Request().Header.Get("Last-Event-ID")
	if text == "" {
		text = c.QueryParam("after")
	}
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0, lcm.Errorf(lcm.KindInvalid, "%q is not the id of an event.", text)
	}
	return id, nil
}

// follow writes events until the operation is over and all of them are written.
func (h *Handler) follow(ctx context.Context, stream *eventStream, id lcm.OpOccID, after int64) error {
	for stream.err == nil && ctx.Err() == nil {
		// The state first: events that come between the two reads are found by the second.
		o, err := h.Store.Operation(ctx, id)
		if err != nil {
			return err
		}
		page, err := h.Store.Events(ctx, id, after, eventPage)
		if err != nil {
			return err
		}
		for _, e := range page {
			stream.event(e)
			after = e.ID
		}
		switch {
		case len(page) > 0:
			continue
		case o.State.Terminal():
			return nil
		}
		if err := h.await(ctx, stream, func(ctx context.Context) error {
			return h.Store.WaitEvents(ctx, id, after)
		}); err != nil {
			return err
		}
	}
	return nil
}

// await waits for a newer event; a comment shows meanwhile that the stream lives.
func (h *Handler) await(ctx context.Context, stream *eventStream, newer func(context.Context) error) error {
	wait, cancel := context.WithTimeout(ctx, h.Heartbeat)
	defer cancel()
	err := newer(wait)
	switch {
	case err == nil || ctx.Err() != nil:
		return nil
	case errors.Is(wait.Err(), context.DeadlineExceeded):
		stream.raw(": still there\n\n")
		return nil
	default:
		return err
	}
}

// eventStream writes server-sent events; after an error it writes nothing more.
type eventStream struct {
	c   echo.Context
	err error
}

func (w *eventStream) raw(text string) {
	if w.err != nil {
		return
	}
	if _, w.err = w.c.Response().Write([]byte(text)); w.err == nil {
		w.err = http.NewResponseController(w.c.Response()).Flush()
	}
}

func (w *eventStream) event(e lcm.Event) {
	data, err := viewOfEvent(e)
	if err == nil {
		data, err = ofOperation(e, data)
	}
	if err != nil {
		w.err = err
		return
	}
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil { // a line break would end the field
		w.err = err
		return
	}
	w.raw(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Type, line.Bytes()))
}

// operationEventView is the data of an "operation" event.
type operationEventView struct {
	lcm.OperationEvent
	Error *rest.ProblemDetails `json:"error,omitempty"`
}

// outputEventView is the data of an "output" event: so many lines were added.
type outputEventView struct {
	Index          int       `json:"index"`
	Phase          lcm.Phase `json:"phase"`
	Node           string    `json:"node,omitempty"`
	Attempt        int       `json:"attempt"`
	Lines          int       `json:"lines"`
	LastOutputLine string    `json:"lastOutputLine,omitempty"`
}

// viewOfEvent shows an event in the same words as the resources do.
func viewOfEvent(e lcm.Event) ([]byte, error) {
	switch e.Type {
	case lcm.EventStep:
		return reshape(e.Data, func(s lcm.StepEvent) any {
			return stepView{
				Index: s.Index, Title: s.Title, Phase: s.Phase, Node: s.Node, State: s.State, Attempt: s.Attempt,
				StartedAt: s.Started, EndedAt: s.Ended, Error: problem.OfOperation(s.Error), LastOutputLine: s.LastLine,
				Retry: viewOfRetry(s.Retry),
			}
		})
	case lcm.EventOutput:
		return reshape(e.Data, func(o lcm.OutputEvent) any {
			return outputEventView{o.Index, o.Phase, o.Node, o.Attempt, o.Lines, o.LastLine}
		})
	case lcm.EventOperation:
		return reshape(e.Data, func(o lcm.OperationEvent) any {
			return operationEventView{OperationEvent: o, Error: problem.OfStep(o.Error, o.State, o.Step)}
		})
	default:
		return e.Data, nil
	}
}

func reshape[T any](data []byte, view func(T) any) ([]byte, error) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return json.Marshal(view(v))
}
