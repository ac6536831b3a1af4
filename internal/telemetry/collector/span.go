package collector

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	spanpb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// Span is a received span. Ids are in hexadecimal.
type Span struct {
	Trace, ID, Parent string
	Service           string
	Name              string
	Start, End        time.Time
	Failed            bool
	Message           string
	Attributes        map[string]string
	Links             []string // traces
}

// Trace is the received spans of a trace, in the order of their beginnings. A span that came twice, because its sender
// did not know that it had arrived, is there once.
func (c *Collector) Trace(id string) []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Span
	for _, s := range c.spans {
		if s.Trace == id && !slices.ContainsFunc(out, func(o Span) bool { return o.ID == s.ID }) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Span) int { return a.Start.Compare(b.Start) })
	return out
}

func spanOf(service string, s *spanpb.Span) Span {
	out := Span{
		Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
		Parent:  hex.EncodeToString(s.GetParentSpanId()),
		Service: service, Name: s.GetName(), Start: time.Unix(0, int64(s.GetStartTimeUnixNano())),
		End:    time.Unix(0, int64(s.GetEndTimeUnixNano())),
		Failed: s.GetStatus().GetCode() == spanpb.Status_STATUS_CODE_ERROR, Message: s.GetStatus().GetMessage(),
		Attributes: map[string]string{},
	}
	for _, a := range s.GetAttributes() {
		out.Attributes[a.GetKey()] = text(a.GetValue())
	}
	for _, l := range s.GetLinks() {
		out.Links = append(out.Links, hex.EncodeToString(l.GetTraceId()))
	}
	return out
}

func text(v *commonpb.AnyValue) string {
	if s, ok := v.GetValue().(*commonpb.AnyValue_StringValue); ok {
		return s.StringValue
	}
	return strings.TrimSpace(protojson.Format(v))
}

func serviceOf(r *resourcepb.Resource) string {
	for _, a := range r.GetAttributes() {
		if a.GetKey() == "service.name" {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}
