package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Telemetry says whether, and where, traces and metrics are sent by OTLP.
type Telemetry struct {
	// Endpoint is the collector's URL, "" for the URL in the standard's own variables; On tells whether there is either.
	Endpoint string
	On       bool
	// Protocol is TelemetryGRPC or TelemetryHTTP.
	Protocol string
	// CAFile holds the authorities of the collector's certificate, "" for the system's.
	CAFile          string
	Traces, Metrics bool
	// SampleRatio is the share of traces that are kept.
	SampleRatio     float64
	MetricsInterval time.Duration
}

// How OTLP is spoken.
const (
	TelemetryGRPC = "grpc"
	TelemetryHTTP = "http"
)

// NeedTelemetry is for commands that send traces and metrics.
const NeedTelemetry Need = "telemetry"

// standardEndpoints are OpenTelemetry's own variables for the endpoint. Its exporters themselves read them, and the
// related variables.
var standardEndpoints = []string{
	"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
	"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
}

func parseProtocol(v string) (string, error) {
	switch v {
	case TelemetryGRPC, TelemetryHTTP:
		return v, nil
	case "http/protobuf": // the standard's word
		return TelemetryHTTP, nil
	}
	return TelemetryGRPC, fmt.Errorf("is %q, neither grpc nor http", v)
}

func parseRatio(v string) (float64, error) {
	ratio, err := strconv.ParseFloat(v, 64)
	if err != nil || !(ratio >= 0 && ratio <= 1) { // NaN is neither
		return 0, fmt.Errorf("is %q, not a number from 0 to 1", v)
	}
	return ratio, nil
}

// checkCollector refuses a URL with a password: the standard's variable with headers is the place for it.
func checkCollector(v string) error {
	if err := checkEndpoint(v); err != nil {
		return errors.New("is not a URL like http://collector.example:4317; what authenticates to it goes into " +
			"OTEL_EXPORTER_OTLP_HEADERS")
	}
	return nil
}

// finishTelemetry adds the values of the standard's variables where no setting has one, and reads the authorities.
func (l *loader) finishTelemetry() {
	t := &l.config.Telemetry
	t.On = t.Endpoint != ""
	for _, name := range standardEndpoints {
		t.On = t.On || os.Getenv(name) != ""
	}
	if off, _ := strconv.ParseBool(os.Getenv("OTEL_SDK_DISABLED")); off && t.Endpoint == "" {
		t.On = false
	}
	if v := os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"); v != "" && t.On &&
		strings.HasPrefix(l.placeOf("telemetry.protocol"), "default") {
		var err error
		if t.Protocol, err = parseProtocol(v); err != nil {
			l.problem("OTEL_EXPORTER_OTLP_PROTOCOL", err.Error())
		}
	}
}

// telemetrySettings say where traces and metrics go.
var telemetrySettings = []setting{
	{
		key: "telemetry.endpoint", need: NeedTelemetry,
		usage: "`URL` of the OTLP collector for traces and metrics; without it nothing is sent",
		set:   func(c *Config, v string) error { c.Telemetry.Endpoint = v; return checkCollector(v) },
	},
	{
		key: "telemetry.protocol", need: NeedTelemetry, fallback: TelemetryGRPC,
		usage: "`transport` of OTLP: grpc, or http (with protobuf)",
		set:   func(c *Config, v string) (err error) { c.Telemetry.Protocol, err = parseProtocol(v); return err },
	},
	{
		key: "telemetry.caFile", need: NeedTelemetry,
		usage: "`file` with the authorities of the collector's certificate; by default those of the system",
		set:   func(c *Config, v string) error { c.Telemetry.CAFile = v; return nil },
	},
	{
		key: "telemetry.traces", need: NeedTelemetry, fallback: "true", usage: "send traces, if telemetry.endpoint is set",
		set: func(c *Config, v string) (err error) { c.Telemetry.Traces, err = parseBool(v); return err },
	},
	{
		key: "telemetry.metrics", need: NeedTelemetry, fallback: "true", usage: "send metrics, if telemetry.endpoint is set",
		set: func(c *Config, v string) (err error) { c.Telemetry.Metrics, err = parseBool(v); return err },
	},
	{
		key: "telemetry.sampleRatio", need: NeedTelemetry, fallback: "1",
		usage: "`share` of traces that are kept, from 0 to 1; for requests whose traceparent decides, that decision counts",
		set:   func(c *Config, v string) (err error) { c.Telemetry.SampleRatio, err = parseRatio(v); return err },
	},
	{
		key: "telemetry.metricsInterval", need: NeedTelemetry, fallback: "30s", usage: "how `often` metrics are sent",
		set: func(c *Config, v string) (err error) { c.Telemetry.MetricsInterval, err = parsePositive(v); return err },
	},
}
