package telemetry

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestComplaints_areToldOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := &complaints{log: slog.New(slog.NewTextHandler(&out, nil))}
		told := func() int { return strings.Count(out.String(), "nobody answers") }
		for range 3 {
			c.Handle(errors.New("nobody answers"))
		}
		require.Equal(t, 1, told())
		time.Sleep(complainMost - time.Second)
		c.Handle(errors.New("nobody answers"))
		require.Equal(t, 1, told())
		time.Sleep(time.Second)
		c.Handle(errors.New("nobody answers"))
		require.Equal(t, 2, told())
	})
}
