// Package types has the types of Amazon's object storage that Temporal's archiver names.
package types

type (
	// CommonPrefix is a folder.
	CommonPrefix struct{ Prefix *string }
	// Object is an object.
	Object struct{ Key *string }
	// NoSuchBucket is an error.
	NoSuchBucket struct{}
	// NoSuchKey is an error.
	NoSuchKey struct{}
)

func (*NoSuchBucket) Error() string { return "no such bucket" }
func (*NoSuchKey) Error() string    { return "no such key" }
