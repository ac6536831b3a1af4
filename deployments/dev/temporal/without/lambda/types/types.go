// Package types has the types of Amazon's functions that Temporal names.
package types

// InvocationType says whether the caller waits.
type InvocationType string

// InvocationTypeEvent does not wait.
const InvocationTypeEvent InvocationType = "Event"

// Errors of functions.
type (
	// ResourceNotFoundException is an error.
	ResourceNotFoundException struct{ Message *string }
	// TooManyRequestsException is an error.
	TooManyRequestsException struct{ Message *string }
	// ServiceException is an error.
	ServiceException struct{ Message *string }
)

func (*ResourceNotFoundException) Error() string { return "resource not found" }
func (*TooManyRequestsException) Error() string  { return "too many requests" }
func (*ServiceException) Error() string          { return "service failed" }
