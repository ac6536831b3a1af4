package secrets_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// TestSecure_believesOnlyWhatIsEncrypted gives Windlass's converter what somebody who reaches Temporal could write: the
// result of an activity, the input of a workflow, details of a failure.
func TestSecure_believesOnlyWhatIsEncrypted(t *testing.T) {
	t.Parallel()
	codec := secrets.NewCodec(load(t, keyFile(t)))
	o := codec.Secure(client.Options{})
	forged, err := converter.GetDefaultDataConverter().ToPayloads("10.0.0.66", map[string]string{"address": "10.0.0.66"})
	require.NoError(t, err)
	var text string
	var object map[string]string
	require.ErrorContains(t, o.DataConverter.FromPayloads(forged, &text, &object), "temporal.clearHistoriesUntil")
	require.ErrorContains(t, o.DataConverter.FromPayload(forged.Payloads[1], &object), "is not encrypted")
	assert.Empty(t, text)
	assert.Empty(t, object)

	failure := temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{}).ErrorToFailure(
		temporal.NewApplicationError("broken", "Broken", map[string]string{"kind": "Conflict"}))
	var app *temporal.ApplicationError
	require.ErrorAs(t, o.FailureConverter.FailureToError(failure), &app)
	require.ErrorContains(t, app.Details(&object), "is not encrypted")

	mine, err := o.DataConverter.ToPayloads("10.0.0.5", nil)
	require.NoError(t, err)
	require.NoError(t, o.DataConverter.FromPayloads(mine, &text, &object))
	assert.Equal(t, "10.0.0.5", text)
}

func TestSecure_takesACancelOfTemporalsOwnTools(t *testing.T) {
	t.Parallel()
	o := secrets.NewCodec(load(t, keyFile(t))).Secure(client.Options{})
	sent, err := converter.GetDefaultDataConverter().ToPayloads(map[string]string{"cancelMode": "FORCEFUL"})
	require.NoError(t, err)
	var got lcm.CancelRequest
	require.NoError(t, o.DataConverter.FromPayloads(sent, &got))
	require.Equal(t, lcm.Forceful, got.Mode)
}

func TestSecure_believesClearHistoriesUntilADate(t *testing.T) {
	t.Parallel()
	sent, err := converter.GetDefaultDataConverter().ToPayloads("of a former release")
	require.NoError(t, err)
	var got string
	codec := secrets.NewCodec(load(t, keyFile(t)))
	codec.ClearUntil = time.Now().Add(time.Hour)
	require.NoError(t, codec.Secure(client.Options{}).DataConverter.FromPayloads(sent, &got))
	require.Equal(t, "of a former release", got)
	codec.ClearUntil = time.Now().Add(-time.Second)
	require.Error(t, codec.Secure(client.Options{}).DataConverter.FromPayloads(sent, &got))
}
