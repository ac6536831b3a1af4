package lcm

import "encoding/json"

// VnfSnapshotInfoID names an individual VNF snapshot.
type VnfSnapshotInfoID string

// VnfSnapshotInfo is SOL003 v3.3.1 clause 5.5.2.22: a place for the record of a VNF snapshot.
type VnfSnapshotInfo struct {
	ID        VnfSnapshotInfoID
	ProjectID ProjectID // the database's when it is made
	// VnfSnapshotPkgID is the VNF snapshot package that the record is of, "" when it is of none.
	VnfSnapshotPkgID string
	// VnfSnapshot is the record that the client gave, a VnfSnapshot of clause 5.5.2.23 with "***" for secrets; empty until
	// there is one. It never changes afterwards.
	VnfSnapshot json.RawMessage
	Version     int64
}
