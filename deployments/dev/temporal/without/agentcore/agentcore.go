// Package bedrockagentcore stands in for a client of Amazon's agents, which windlass-temporal never calls: its workers are
// started by people and by Windlass. See ../README.md.
package bedrockagentcore

import (
	"context"
	"errors"
	"fmt"
	"io"
)

type (
	// Client makes nothing but errors.
	Client struct{}
	// Options of a client.
	Options struct{}
	// InvokeAgentRuntimeInput names an agent.
	InvokeAgentRuntimeInput struct {
		AgentRuntimeArn, AccountId, ContentType, Qualifier *string
		Payload                                            []byte
	}
	// InvokeAgentRuntimeOutput is the answer of an agent.
	InvokeAgentRuntimeOutput struct {
		Response   io.ReadCloser
		StatusCode *int32
	}
)

// NewFromConfig returns a client that fails.
func NewFromConfig(any, ...func(*Options)) *Client { return &Client{} }

// InvokeAgentRuntime returns an error.
func (*Client) InvokeAgentRuntime(context.Context, *InvokeAgentRuntimeInput, ...func(*Options)) (
	*InvokeAgentRuntimeOutput, error,
) {
	return nil, fmt.Errorf("windlass-temporal has no client of Amazon's agents: %w", errors.ErrUnsupported)
}
