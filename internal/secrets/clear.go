package secrets

import (
	"errors"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// FromOperators marks types of arguments that may come to a workflow in clear: what operators send with Temporal's own
// tools, which do not encrypt. A type has the method as a promise that whoever reaches Temporal may choose its value.
type FromOperators interface{ FromOperators() }

// errClear refuses a payload.
var errClear = errors.New("a payload in Temporal is not encrypted: Windlass does not believe it, because anybody who " +
	"reaches Temporal may have written it; if a release of Windlass without encryption has written it, set " +
	"temporal.clearHistoriesUntil")

// closed believes only what is encrypted, except for FromOperators, and for everything until a date.
type closed struct {
	converter.DataConverter
	until time.Time
}

// FromPayload implements converter.DataConverter. It also reads titles, which are single texts in clear.
func (c closed) FromPayload(payload *commonpb.Payload, valuePtr any) error {
	if _, title := valuePtr.(*string); !title {
		if err := c.check(payload, valuePtr); err != nil {
			return err
		}
	}
	return c.DataConverter.FromPayload(payload, valuePtr)
}

// FromPayloads implements converter.DataConverter.
func (c closed) FromPayloads(payloads *commonpb.Payloads, valuePtrs ...any) error {
	for i, payload := range payloads.GetPayloads() {
		if i == len(valuePtrs) {
			break
		}
		if err := c.check(payload, valuePtrs[i]); err != nil {
			return err
		}
	}
	return c.DataConverter.FromPayloads(payloads, valuePtrs...)
}

func (c closed) check(payload *commonpb.Payload, valuePtr any) error {
	if payload == nil || string(payload.GetMetadata()[converter.MetadataEncoding]) == payloadEncoding {
		return nil
	}
	if _, may := valuePtr.(FromOperators); may || time.Now().Before(c.until) {
		return nil
	}
	return errClear
}
