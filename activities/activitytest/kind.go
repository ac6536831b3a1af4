package activitytest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// AssertKind checks the kind and the text of an activity's error.
func AssertKind(t *testing.T, err error, kind lcm.ErrorKind, says string) {
	t.Helper()
	var app *temporal.ApplicationError
	require.True(t, errors.As(err, &app), "%v", err)
	assert.Equal(t, string(kind), app.Type())
	assert.Equal(t, kind != lcm.KindUnavailable, app.NonRetryable())
	assert.Contains(t, app.Message(), says)
}
