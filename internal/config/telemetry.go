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
	// Endpoint is the collector's URL, "" for the one of the standard's own variables; On tells whether there is either.
	Endpoint string
	On       bool
	// Protocol is TelemetryGRPC or TelemetryHTTP.
	Protocol string
	// CAFile holds the authorities of the collector's certificate, "" for those of the system, CA what is in it.
	CAFile          string
	CA              []byte `json:"-"`
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

// NeedTelemetry is of those who send traces and metrics.
const NeedTelemetry Need = "telemetry"

// standardEndpoints are OpenTelemetry's own variables with where to send to. Its exporters read them, and those beside them, themselves.
var standardEndpoints = []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"}

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
		return errors.New("is not a URL like http://collector.example:4317; what authenticates to it goes into OTEL_EXPORTER_OTLP_HEADERS")
	}
	return nil
}

// finishTelemetry adds what the standard's variables say, where no setting does, and reads the authorities.
func (l *loader) finishTelemetry() {
	t := &l.config.Telemetry
	t.On = t.Endpoint != ""
	for _, name := range standardEndpoints {
		t.On = t.On || os.Getenv(name) != ""
	}
	if off, _ := strconv.ParseBool(os.Getenv("OTEL_SDK_DISABLED")); off && t.Endpoint == "" {
		t.On = false
	}
	if v := os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"); v != "" && t.On && strings.HasPrefix(l.placeOf("telemetry.protocol"), "default") {
		var err error
		if t.Protocol, err = parseProtocol(v); err != nil {
			l.problem("OTEL_EXPORTER_OTLP_PROTOCOL", err.Error())
		}
	}
	if t.CAFile == "" {
		return
	}
	var err error
	if t.CA, err = os.ReadFile(t.CAFile); err != nil {
		l.problem(l.placeOf("telemetry.caFile"), "cannot be read: "+err.Error())
	}
}
