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
	// On tells whether there is an Endpoint, or else a URL in the standard's own variables.
	On bool
	// `URL` of the OTLP collector for traces and metrics; without it nothing is sent
	Endpoint string `setting:"telemetry.endpoint; example=http://collector.example:4317; is=collector"`
	// `transport` of OTLP: grpc, or http (with protobuf)
	Protocol string `setting:"telemetry.protocol; default=grpc; is=protocol"`
	// `file` with the authorities of the collector's certificate; by default those of the system
	CAFile string `setting:"telemetry.caFile; example=/etc/windlass/collector-ca.pem"`
	// send traces, if telemetry.endpoint is set
	Traces bool `setting:"telemetry.traces; default=true"`
	// send metrics, if telemetry.endpoint is set
	Metrics bool `setting:"telemetry.metrics; default=true"`
	// `share` of traces that are kept, from 0 to 1; for requests whose traceparent decides, that decision counts
	SampleRatio float64 `setting:"telemetry.sampleRatio; default=1"`
	// how `often` metrics are sent
	MetricsInterval time.Duration `setting:"telemetry.metricsInterval; default=30s; is=positive"`
}

// How OTLP is spoken.
const (
	TelemetryGRPC = "grpc"
	TelemetryHTTP = "http"
)

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
