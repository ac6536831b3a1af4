package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/config"
)

var telemetry = []config.Need{config.NeedTelemetry}

func TestTelemetry_isOffUntilSomebodyNamesACollector(t *testing.T) {
	c, err := load(t, telemetry)
	require.NoError(t, err)
	assert.False(t, c.Telemetry.On)

	c, err = load(t, telemetry, "--telemetry-endpoint=https://collector.example:4318/otlp", "--telemetry-protocol=http",
		"--telemetry-sample-ratio=0.25", "--telemetry-metrics=false")
	require.NoError(t, err)
	assert.Equal(t, config.Telemetry{
		Endpoint: "https://collector.example:4318/otlp", On: true, Protocol: config.TelemetryHTTP, Traces: true,
		SampleRatio: .25, MetricsInterval: 30 * time.Second,
	}, c.Telemetry)
}

func TestTelemetry_takesTheStandardsVariables(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://collector.example:4318")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	c, err := load(t, telemetry)
	require.NoError(t, err)
	assert.True(t, c.Telemetry.On)
	assert.Empty(t, c.Telemetry.Endpoint, "the exporter reads it itself")
	assert.Equal(t, config.TelemetryHTTP, c.Telemetry.Protocol)

	c, err = load(t, telemetry, "--telemetry-protocol=grpc")
	require.NoError(t, err)
	assert.Equal(t, config.TelemetryGRPC, c.Telemetry.Protocol, "a setting goes before a variable")

	t.Setenv("OTEL_SDK_DISABLED", "true")
	c, err = load(t, telemetry)
	require.NoError(t, err)
	assert.False(t, c.Telemetry.On)
}

func TestTelemetry_saysWhatIsWrong(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.example:4318")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	_, err := load(t, telemetry, "--telemetry-endpoint=http://u:hunter2@collector.example", "--telemetry-sample-ratio=NaN",
		"--telemetry-metrics-interval=0s")
	require.NotContains(t, err.Error(), "hunter2")
	assert.ElementsMatch(t, []string{
		"--telemetry-endpoint", "--telemetry-sample-ratio", "--telemetry-metrics-interval",
		"OTEL_EXPORTER_OTLP_PROTOCOL",
	}, places(t, err))

	_, err = load(t, telemetry, "--telemetry-protocol=carrier-pigeon")
	require.ErrorContains(t, err, `--telemetry-protocol: is "carrier-pigeon", neither grpc nor http`)
}
