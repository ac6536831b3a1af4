package secrets

import (
	"errors"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

const (
	payloadEncoding = "binary/aes-256-gcm"
	payloadKeyID    = "windlass-key-id"
)

// Codec encrypts Temporal's payloads. It is a second safeguard: payloads hold no secrets in the first place. The key's
// id travels with each payload, so old histories stay readable while the keyring has their key.
type Codec struct {
	// ClearUntil is until when Windlass believes payloads in clear: those of a release without encryption.
	ClearUntil time.Time
	keys       *Keyring
}

var _ converter.PayloadCodec = (*Codec)(nil)

// NewCodec encrypts with the active key of k.
func NewCodec(k *Keyring) *Codec { return &Codec{keys: k} }

// Encode encrypts every payload, including its metadata.
func (c *Codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	id := c.keys.Active()
	out := make([]*commonpb.Payload, len(payloads))
	for i, payload := range payloads {
		clear, err := proto.Marshal(payload)
		if err != nil {
			return nil, fmt.Errorf("encrypt payload: %w", err)
		}
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(payloadEncoding), payloadKeyID: []byte(id)},
			Data:     seal(c.keys.keys[id].payloads, clear, []byte(id)),
		}
	}
	return out, nil
}

// Decode decrypts. It passes payloads in clear, which the Web UI shows; servers that Secure has prepared do not believe
// them.
func (c *Codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, payload := range payloads {
		if string(payload.GetMetadata()[converter.MetadataEncoding]) != payloadEncoding {
			out[i] = payload
			continue
		}
		id := string(payload.GetMetadata()[payloadKeyID])
		key, ok := c.keys.keys[id]
		if !ok {
			return nil, fmt.Errorf("decrypt payload: the key file does not have the key %q", id)
		}
		clear, err := open(key.payloads, payload.GetData(), []byte(id))
		if err != nil {
			return nil, fmt.Errorf("decrypt payload with key %q: %w", id, err)
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(clear, out[i]); err != nil {
			return nil, fmt.Errorf("decrypt payload with key %q: %w", id, err)
		}
	}
	return out, nil
}

// Secure makes a client encrypt payloads and the messages and stack traces of failures, and believe only encrypted
// payloads, or FromOperators. Titles and details for people stay in clear.
func (c *Codec) Secure(o client.Options) client.Options {
	sealed := closed{converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), c), c.ClearUntil}
	o.DataConverter = titles{sealed}
	o.FailureConverter = failures{
		FailureConverter: temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: sealed, EncodeCommonAttributes: true,
		}),
		clear: temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: sealed}),
	}
	return o
}

// titles leaves the summaries and details of workflows and activities in clear, which the Web UI shows. The SDK
// converts each of them alone, as a string. It converts the arguments and results of workflows, activities, signals,
// updates and queries as lists: these are encrypted even if they are strings.
type titles struct{ converter.DataConverter }

// ToPayload implements converter.DataConverter.
func (t titles) ToPayload(value any) (*commonpb.Payload, error) {
	if _, title := value.(string); title {
		return converter.GetDefaultDataConverter().ToPayload(value)
	}
	return t.DataConverter.ToPayload(value)
}

// failures leaves the text of benign errors in clear: a validator's refusal is for the sender of the update, and names
// only states and actions.
type failures struct {
	converter.FailureConverter
	clear converter.FailureConverter
}

func (f failures) ErrorToFailure(err error) *failurepb.Failure {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok &&
		app.Category() == temporal.ApplicationErrorCategoryBenign {
		return f.clear.ErrorToFailure(err)
	}
	return f.FailureConverter.ErrorToFailure(err)
}
