package lcm

import "time"

// AuditRecord is one request that changed something, or tried to.
type AuditRecord struct {
	ID int64
	At time.Time
	// Client sent the request. ProjectID is the project of the resource.
	Client    string
	ProjectID ProjectID
	Method    string
	// Path has no query.
	Path string
	// Resource is the resource that the request made, "" for none.
	Resource string
	// Status is the status code of the answer.
	Status    int
	RequestID string
	Remote    string // the client's address
}
