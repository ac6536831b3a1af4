// Package lambda stands in for the client of Amazon's functions, which windlass-temporal never calls: its workers are
// started by people and by Windlass. See ../README.md.
package lambda

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

var errNone = fmt.Errorf("windlass-temporal has no client of Amazon's functions: %w", errors.ErrUnsupported)

type (
	// Client makes nothing but errors.
	Client struct{}
	// Options of a client.
	Options struct{}
	// InvokeInput names a function.
	InvokeInput struct {
		FunctionName   *string
		InvocationType types.InvocationType
	}
	// InvokeOutput is the end of a function.
	InvokeOutput struct{ FunctionError *string }
	// GetFunctionInput names a function.
	GetFunctionInput struct{ FunctionName *string }
	// GetFunctionOutput is empty.
	GetFunctionOutput struct{}
)

// NewFromConfig returns a client that fails.
func NewFromConfig(any, ...func(*Options)) *Client { return &Client{} }

// Invoke returns an error.
func (*Client) Invoke(context.Context, *InvokeInput, ...func(*Options)) (*InvokeOutput, error) {
	return nil, errNone
}

// GetFunction returns an error.
func (*Client) GetFunction(context.Context, *GetFunctionInput, ...func(*Options)) (*GetFunctionOutput, error) {
	return nil, errNone
}
