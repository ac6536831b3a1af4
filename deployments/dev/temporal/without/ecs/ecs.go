// Package ecs stands in for the client of Amazon's container service, which windlass-temporal never calls: its workers
// are started by people and by Windlass. See ../README.md.
package ecs

import (
	"context"
	"errors"
	"fmt"
)

var errNone = fmt.Errorf("windlass-temporal has no client of Amazon's container service: %w", errors.ErrUnsupported)

type (
	// Client makes nothing but errors.
	Client struct{}
	// Options of a client.
	Options struct{}
	// DescribeServicesInput names services.
	DescribeServicesInput struct {
		Cluster  *string
		Services []string
	}
	// DescribeServicesOutput lists services.
	DescribeServicesOutput struct {
		Services []struct{ Status *string }
		Failures []struct{ Reason *string }
	}
	// UpdateServiceInput sets the size of a service.
	UpdateServiceInput struct {
		Cluster, Service *string
		DesiredCount     *int32
	}
	// UpdateServiceOutput is empty.
	UpdateServiceOutput struct{}
)

// NewFromConfig returns a client that fails.
func NewFromConfig(any, ...func(*Options)) *Client { return &Client{} }

// DescribeServices returns an error.
func (*Client) DescribeServices(context.Context, *DescribeServicesInput, ...func(*Options)) (
	*DescribeServicesOutput, error,
) {
	return nil, errNone
}

// UpdateService returns an error.
func (*Client) UpdateService(context.Context, *UpdateServiceInput, ...func(*Options)) (*UpdateServiceOutput, error) {
	return nil, errNone
}
