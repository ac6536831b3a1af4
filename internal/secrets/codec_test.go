package secrets_test

import (
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

	require.NoError(t, secrets.AddKey(path))
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

func TestCodec_leavesTitlesForPeopleInClear(t *testing.T) {
	t.Parallel()
	title, err := converter.GetDefaultDataConverter().ToPayloads("cp-3f2a91c0: Join the other control planes")
	require.NoError(t, err)
	got, err := secrets.NewCodec(load(t, keyFile(t))).Encode(title.Payloads)
	require.NoError(t, err)
	assert.Equal(t, title.Payloads, got)
}

func TestCodec_passesClearPayloads(t *testing.T) {
	t.Parallel()
	codec := secrets.NewCodec(load(t, keyFile(t)))
	clear := []*commonpb.Payload{{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(`"GRACEFUL"`)}, {}}
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
		temporal.ApplicationErrorOptions{Category: temporal.ApplicationErrorCategoryBenign, Details: []any{map[string]string{"a": "b"}}})
	failure := o.FailureConverter.ErrorToFailure(refusal)
	assert.Equal(t, "The operation is COMPLETED: retry is not possible.", failure.GetMessage())
	assert.NotContains(t, failure.String(), `"a"`, "details are data")
}
