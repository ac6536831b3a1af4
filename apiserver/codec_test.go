package apiserver_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
)

const webUI = "https://temporal.example"

func newCodecBench(t *testing.T) (*servertest.Bench, *secrets.Codec) {
	codec := secrets.NewCodec(secretstest.Keyring(t))
	return servertest.New(t, func(o *apiserver.Options) { o.Codec, o.API.CodecOrigins = codec, []string{webUI} }), codec
}

func TestCodec_opensWhatWorkersSeal(t *testing.T) {
	b, codec := newCodecBench(t)
	clear := &common.Payload{
		Metadata: map[string][]byte{"encoding": []byte("json/plain")},
		Data:     []byte(`{"opOccId":"a"}`),
	}
	sealed, err := codec.Encode([]*common.Payload{clear})
	require.NoError(t, err)
	require.NotContains(t, string(sealed[0].Data), "opOccId")

	// The temporal command does the same.
	remote := converter.NewRemotePayloadCodec(converter.RemotePayloadCodecOptions{Endpoint: b.HTTP.URL +
		"/windlass/v1/codec"})
	opened, err := remote.Decode(sealed)
	require.NoError(t, err)
	require.Equal(t, string(clear.Data), string(opened[0].Data))
	again, err := remote.Encode(opened)
	require.NoError(t, err)
	back, err := codec.Decode(again)
	require.NoError(t, err)
	require.Equal(t, string(clear.Data), string(back[0].Data))

	foreign, err := secrets.NewCodec(secretstest.Keyring(t)).Encode([]*common.Payload{clear})
	require.NoError(t, err)
	_, err = remote.Decode(foreign)
	require.Error(t, err, "another key's")
}

func TestCodec_letsOnlyTheWebUIsPagesIn(t *testing.T) {
	b, _ := newCodecBench(t)
	const path, allowed = "/windlass/v1/codec/decode", "Access-Control-Allow-Origin"
	asked := []string{"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type,x-namespace"}

	a := b.Do(http.MethodOptions, path, nil, append(asked, "Origin: "+webUI)...)
	require.Equal(t, http.StatusNoContent, a.Status)
	require.Equal(t, webUI, a.Header.Get(allowed))
	require.Contains(t, a.Header.Get("Access-Control-Allow-Headers"), "x-namespace")
	require.Equal(t, webUI, b.Do(http.MethodPost, path, map[string]any{"payloads": []any{}},
		"Origin: "+webUI).Header.Get(allowed))

	for _, origin := range []string{"https://elsewhere.example", "null", webUI + ".elsewhere.example"} {
		require.Empty(t, b.Do(http.MethodOptions, path, nil, append(asked, "Origin: "+origin)...).Header.Get(allowed), origin)
	}
	require.Empty(t, b.Do(http.MethodGet, "/vnflcm/v1/vnf_instances", nil, "Origin: "+webUI).Header.Get(allowed),
		"nothing else")
}

func TestCodec_servesNobodyUnlessTheOperatorSaysSo(t *testing.T) {
	b := servertest.New(t)
	a := b.Do(http.MethodPost, "/windlass/v1/codec/decode", map[string]any{"payloads": []any{}})
	require.Equal(t, http.StatusNotFound, a.Status)
	require.Contains(t, string(a.Body), "api.codec")
	require.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))

	// Without origins, the server answers the command but no web page.
	b = servertest.New(t, func(o *apiserver.Options) { o.Codec = secrets.NewCodec(secretstest.Keyring(t)) })
	require.Equal(t, http.StatusOK, b.Do(http.MethodPost, "/windlass/v1/codec/decode",
		map[string]any{"payloads": []any{}}).Status)
	a = b.Do(http.MethodPost, "/windlass/v1/codec/decode", map[string]any{"payloads": []any{}}, "Origin: "+webUI)
	require.Equal(t, http.StatusForbidden, a.Status)
	require.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))
}

func TestCodec_isNotInTheAuditUnlessItIsRefused(t *testing.T) {
	b := servertest.New(
		t,
		servertest.WithAuth,
		func(o *apiserver.Options) { o.Codec = secrets.NewCodec(secretstest.Keyring(t)) },
	)
	const path = "/windlass/v1/codec/decode"
	admin := servertest.As("default", "windlass:admin")
	body := map[string]any{"payloads": []any{}}
	require.Equal(t, http.StatusOK, b.Do(http.MethodPost, path, body, admin).Status)
	require.Empty(t, auditOf(b, admin, ""), "a page of the Web UI asks for it dozens of times")
	b.Do(http.MethodPost, path, body, servertest.As("edge", "windlass:read")).Problem(http.StatusForbidden)
	require.Len(t, auditOf(b, admin, ""), 1)
}
