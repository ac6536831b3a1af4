// Package bedrockagentcorecontrol stands in for a client of Amazon's agents, which windlass-temporal never calls: its
// workers are started by people and by Windlass. See ../README.md.
package bedrockagentcorecontrol

import (
	"context"
	"errors"
	"fmt"
)

type (
	// Client makes nothing but errors.
	Client struct{}
	// Options of a client.
	Options struct{}
	// GetAgentRuntimeEndpointInput names an agent.
	GetAgentRuntimeEndpointInput struct{ AgentRuntimeId, EndpointName *string }
	// GetAgentRuntimeEndpointOutput is empty.
	GetAgentRuntimeEndpointOutput struct{}
)

// NewFromConfig returns a client that fails.
func NewFromConfig(any, ...func(*Options)) *Client { return &Client{} }

// GetAgentRuntimeEndpoint returns an error.
func (*Client) GetAgentRuntimeEndpoint(context.Context, *GetAgentRuntimeEndpointInput, ...func(*Options)) (
	*GetAgentRuntimeEndpointOutput, error,
) {
	return nil, fmt.Errorf("windlass-temporal has no client of Amazon's agents: %w", errors.ErrUnsupported)
}
