package lcm

import "encoding/json"

// VnfSnapshotInfoID names an individual VNF snapshot.
type VnfSnapshotInfoID string

// VnfSnapshotInfo is SOL003 v3.3.1 clause 5.5.2.22: a place for the record of a VNF snapshot.
type VnfSnapshotInfo struct {
	ID        VnfSnapshotInfoID
	ProjectID ProjectID // set by the database
	// VnfSnapshotPkgID is the VNF snapshot package of the record, "" for none.
	VnfSnapshotPkgID string
	// VnfSnapshot is the client's record, a VnfSnapshot of clause 5.5.2.23 with "***" for secrets. It is empty until the
	// client gives one, and never changes afterwards.
	VnfSnapshot json.RawMessage
	Version     int64
}
