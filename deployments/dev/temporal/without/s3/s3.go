// Package s3 stands in for the client of Amazon's object storage, which windlass-temporal never calls: it archives
// nothing. See ../README.md.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

var errNone = fmt.Errorf("windlass-temporal has no client of Amazon's object storage: %w", errors.ErrUnsupported)

type (
	// Client makes nothing but errors.
	Client struct{}
	// Options of a client.
	Options struct {
		BaseEndpoint *string
		UsePathStyle bool
	}
	// HeadBucketInput names a bucket.
	HeadBucketInput struct{ Bucket *string }
	// HeadBucketOutput is empty.
	HeadBucketOutput struct{}
	// HeadObjectInput names an object.
	HeadObjectInput struct{ Bucket, Key *string }
	// HeadObjectOutput is empty.
	HeadObjectOutput struct{}
	// PutObjectInput is an object.
	PutObjectInput struct {
		Bucket, Key *string
		Body        io.Reader
	}
	// PutObjectOutput is empty.
	PutObjectOutput struct{}
	// GetObjectInput names an object.
	GetObjectInput struct{ Bucket, Key *string }
	// GetObjectOutput is an object.
	GetObjectOutput struct{ Body io.ReadCloser }
	// ListObjectsV2Input selects objects.
	ListObjectsV2Input struct {
		Bucket, Prefix, Delimiter, ContinuationToken, StartAfter *string
		MaxKeys                                                  *int32
	}
	// ListObjectsV2Output is a page of objects.
	ListObjectsV2Output struct {
		CommonPrefixes        []types.CommonPrefix
		Contents              []types.Object
		IsTruncated           *bool
		NextContinuationToken *string
	}
)

// NewFromConfig returns a client that fails.
func NewFromConfig(any, ...func(*Options)) *Client { return &Client{} }

// HeadBucket returns an error.
func (*Client) HeadBucket(context.Context, *HeadBucketInput, ...func(*Options)) (*HeadBucketOutput, error) {
	return nil, errNone
}

// HeadObject returns an error.
func (*Client) HeadObject(context.Context, *HeadObjectInput, ...func(*Options)) (*HeadObjectOutput, error) {
	return nil, errNone
}

// PutObject returns an error.
func (*Client) PutObject(context.Context, *PutObjectInput, ...func(*Options)) (*PutObjectOutput, error) {
	return nil, errNone
}

// GetObject returns an error.
func (*Client) GetObject(context.Context, *GetObjectInput, ...func(*Options)) (*GetObjectOutput, error) {
	return nil, errNone
}

// ListObjectsV2 returns an error.
func (*Client) ListObjectsV2(context.Context, *ListObjectsV2Input, ...func(*Options)) (*ListObjectsV2Output, error) {
	return nil, errNone
}
