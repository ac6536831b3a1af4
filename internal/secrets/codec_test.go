package secrets_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"

	"github.com/windlass-nfv/windlass/internal/secrets"
)

func TestCodec_encryptsAndSurvivesRotation(t *testing.T) {
	t.Parallel()
	path := keyFile(t)
	clear, err := converter.GetDefaultDataConverter().ToPayloads(map[string]string{"token": "hunter2"}, nil, 7)
	require.NoError(t, err)
	sealed, err := secrets.NewCodec(load(t, path)).Encode(clear.Payloads)
	require.NoError(t, err)
	for _, p := range sealed {
		assert.NotContains(t, p.String(), "hunter2")
		assert.NotContains(t, p.String(), "json/plain", "the metadata is encrypted, too")
	}

	require.NoError(t, secrets.AddKey(t.Context(), path, secrets.Token{}))
	newer := secrets.NewCodec(load(t, path))
	opened, err := newer.Decode(sealed)
	require.NoError(t, err)
	require.Len(t, opened, len(clear.Payloads))
	for i := range opened {
		assert.True(t, proto.Equal(clear.Payloads[i], opened[i]))
	}
	again, err := newer.Encode(clear.Payloads)
	require.NoError(t, err)
	_, err = secrets.NewCodec(load(t, keyFile(t))).Decode(again)
	require.ErrorContains(t, err, "does not have the key")
}

// TestCodec_encryptsWhatBeginsWithAQuote uses data that begins like a title: a JSON string, and bytes that are not
// JSON.
func TestCodec_encryptsWhatBeginsWithAQuote(t *testing.T) {
	t.Parallel()
	codec := secrets.NewCodec(load(t, keyFile(t)))
	clear, err := converter.GetDefaultDataConverter().ToPayloads("hunter2", []byte(`"hunter2`),
		json.RawMessage(`"hunter2"`))
	require.NoError(t, err)
	sealed, err := codec.Encode(clear.Payloads)
	require.NoError(t, err)
	for i, p := range sealed {
		assert.NotContains(t, p.String(), "hunter2", "payload %d", i)
		assert.Equal(t, "binary/aes-256-gcm", string(p.Metadata["encoding"]))
	}
	opened, err := codec.Decode(sealed)
	require.NoError(t, err)
	for i := range opened {
		assert.True(t, proto.Equal(clear.Payloads[i], opened[i]))
	}
	old, err := codec.Decode(clear.Payloads)
	require.NoError(t, err, "a former release has left them in clear")
	assert.Equal(t, clear.Payloads, old)
}

func TestCodec_secureLeavesOnlyTitlesForPeopleInClear(t *testing.T) {
	t.Parallel()
	o := secrets.NewCodec(load(t, keyFile(t))).Secure(client.Options{})
	const text = "cp-3f2a91c0: Join the other control planes"
	title, err := o.DataConverter.ToPayload(text)
	require.NoError(t, err)
	assert.Contains(t, title.String(), text)
	data, err := o.DataConverter.ToPayloads(text, map[string]string{"text": text})
	require.NoError(t, err)
	object, err := o.DataConverter.ToPayload(map[string]string{"text": text})
	require.NoError(t, err)
	for _, p := range append(data.Payloads, object) {
		assert.NotContains(t, p.String(), text)
	}
	var got string
	require.NoError(t, o.DataConverter.FromPayload(title, &got))
	assert.Equal(t, text, got)
	require.NoError(t, o.DataConverter.FromPayloads(data, &got, &map[string]string{}))
	assert.Equal(t, text, got)
}

func TestCodec_passesClearPayloads(t *testing.T) {
	t.Parallel()
	codec := secrets.NewCodec(load(t, keyFile(t)))
	clear := []*commonpb.Payload{{
		Metadata: map[string][]byte{"encoding": []byte("json/plain")},
		Data:     []byte(`"GRACEFUL"`),
	}, {}}
	got, err := codec.Decode(clear)
	require.NoError(t, err)
	assert.Equal(t, clear, got)
}

func TestCodec_refusesChangedPayloads(t *testing.T) {
	t.Parallel()
	codec := secrets.NewCodec(load(t, keyFile(t)))
	sealed, err := codec.Encode([]*commonpb.Payload{{Data: []byte("x")}})
	require.NoError(t, err)
	sealed[0].Data[15] ^= 1
	_, err = codec.Decode(sealed)
	require.Error(t, err)
	sealed[0].Data = nil
	_, err = codec.Decode(sealed)
	require.Error(t, err)
}

func TestCodec_secureEncryptsFailuresToo(t *testing.T) {
	t.Parallel()
	o := secrets.NewCodec(load(t, keyFile(t))).Secure(client.Options{})
	failure := o.FailureConverter.ErrorToFailure(temporal.NewApplicationError("password hunter2", "Broken"))
	assert.NotContains(t, failure.String(), "hunter2")
	assert.ErrorContains(t, o.FailureConverter.FailureToError(failure), "hunter2")
}

func TestCodec_leavesRefusalsForPeopleInClear(t *testing.T) {
	t.Parallel()
	o := secrets.NewCodec(load(t, keyFile(t))).Secure(client.Options{})
	refusal := temporal.NewApplicationErrorWithOptions("The operation is COMPLETED: retry is not possible.", "Conflict",
		temporal.ApplicationErrorOptions{
			Category: temporal.ApplicationErrorCategoryBenign,
			Details:  []any{map[string]string{"a": "b"}},
		})
	failure := o.FailureConverter.ErrorToFailure(refusal)
	assert.Equal(t, "The operation is COMPLETED: retry is not possible.", failure.GetMessage())
	assert.NotContains(t, failure.String(), `"a"`, "details are data")
}
