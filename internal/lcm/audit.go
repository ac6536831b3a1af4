package lcm

import "time"

// AuditRecord is one request that has changed something, or was to.
type AuditRecord struct {
	ID int64
	At time.Time
	// Client is who sent it, ProjectID whose resource it was about.
	Client    string
	ProjectID ProjectID
	Method    string
	// Path is without its query.
	Path string
	// Resource is what was made, "" for none.
	Resource string
	// Status is the answer's.
	Status    int
	RequestID string
	Remote    string // the client's address
}
