// Package storage stands in for the client of Google's object storage, which windlass-temporal never calls: it archives
// nothing. The real package brings an Envoy control plane. See ../README.md.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// ScopeFullControl is a scope of OAuth 2.0.
const ScopeFullControl = "https://www.googleapis.com/auth/devstorage.full_control"

var errNone = fmt.Errorf("windlass-temporal has no client of Google's object storage: %w", errors.ErrUnsupported)

type (
	// Client makes nothing but errors, like all types of this package.
	Client struct{}
	// BucketHandle is a bucket.
	BucketHandle struct{}
	// ObjectHandle is an object.
	ObjectHandle struct{}
	// ObjectIterator lists objects.
	ObjectIterator struct{}
	// Reader reads an object.
	Reader struct{ io.ReadCloser }
	// Writer writes an object.
	Writer struct{ io.WriteCloser }
	// BucketAttrs describes a bucket.
	BucketAttrs struct{}
	// ObjectAttrs describes an object.
	ObjectAttrs struct{ Name string }
	// Query selects objects.
	Query struct{ Prefix string }
)

// NewClient returns an error.
func NewClient(context.Context, ...any) (*Client, error) { return nil, errNone }

// Bucket returns a handle of a bucket.
func (*Client) Bucket(string) *BucketHandle { return &BucketHandle{} }

// Object returns a handle of an object.
func (*BucketHandle) Object(string) *ObjectHandle { return &ObjectHandle{} }

// Objects returns an iterator.
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return &ObjectIterator{} }

// Attrs returns an error.
func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error) { return nil, errNone }

// Next returns an error.
func (*ObjectIterator) Next() (*ObjectAttrs, error) { return nil, errNone }

// NewReader returns an error.
func (*ObjectHandle) NewReader(context.Context) (*Reader, error) { return nil, errNone }

// NewWriter returns a writer that fails.
func (*ObjectHandle) NewWriter(context.Context) *Writer { return &Writer{noWriter{}} }

// Attrs returns an error.
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error) { return nil, errNone }

// CloseWithError does nothing.
func (*Writer) CloseWithError(error) error { return nil }

type noWriter struct{}

func (noWriter) Write([]byte) (int, error) { return 0, errNone }
func (noWriter) Close() error              { return errNone }
