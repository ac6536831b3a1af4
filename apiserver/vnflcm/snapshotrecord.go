package vnflcm

import (
	"encoding/json"
	"maps"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// snapshotRequest is CreateVnfSnapshotInfoRequest and VnfSnapshotInfoModificationRequest (SOL003 v3.3.1 clauses
// 5.5.2.20 and 5.5.2.24), which have the same attributes.
type snapshotRequest struct {
	params.Noted
	VnfSnapshotPkgID string          `json:"vnfSnapshotPkgId"`
	VnfSnapshot      *snapshotRecord `json:"vnfSnapshot"`
}

// fixed are attributes in a modification that cannot be modified.
func (req snapshotRequest) fixed() (problems []lcm.Problem) {
	for _, member := range []string{"_links", "id"} {
		if req.Has(member) {
			problems = append(problems, lcm.Problem{Path: lcm.MemberPath("$", member), Detail: "cannot be modified"})
		}
	}
	return problems
}

// snapshotRecord is the checked part of VnfSnapshot (clause 5.5.2.23). Some members that the clause requires are
// optional here: ETSI's OpenAPI definition has former names for them.
type snapshotRecord struct {
	ID                 string       `json:"id" param:"required"`
	VnfInstanceID      string       `json:"vnfInstanceId" param:"required"`
	CreationStartedAt  string       `json:"creationStartedAt" param:"is=time"`
	CreationFinishedAt string       `json:"creationFinishedAt" param:"is=time"`
	VnfdID             string       `json:"vnfdId" param:"required"`
	VnfInstance        anyMembers   `json:"vnfInstance"`
	VnfcSnapshots      []vnfcRecord `json:"vnfcSnapshots" param:"required"`
	StateSnapshot      anyMembers   `json:"vnfStateSnapshotInfo"`
	UserDefinedData    anyMembers   `json:"userDefinedData"`
}

// vnfcRecord is VnfcSnapshotInfo (clause 5.5.3.21).
type vnfcRecord struct {
	ID                 string     `json:"id" param:"required"`
	VnfcInstanceID     string     `json:"vnfcInstanceId" param:"required"`
	CreationStartedAt  string     `json:"creationStartedAt" param:"is=time"`
	CreationFinishedAt string     `json:"creationFinishedAt" param:"is=time"`
	VnfcResourceInfoID string     `json:"vnfcResourceInfoId"`
	Compute            anyMembers `json:"computeSnapshotResource"`
	Storages           []struct {
		ID       string     `json:"storageResourceId" param:"required"`
		Snapshot anyMembers `json:"storageSnapshotResource"`
	} `json:"storageSnapshotResources"`
	UserDefinedData anyMembers `json:"userDefinedData"`
}

// anyMembers is an object whose members are stored as they are written: numbers keep all their digits.
type anyMembers = map[string]json.RawMessage

// take copies the checked members of a request into the snapshot. It returns false if the request has none.
func (req snapshotRequest) take(body []byte, snapshot *lcm.VnfSnapshotInfo) (bool, error) {
	given, err := rest.ExactDocument(json.RawMessage(body))
	if err != nil {
		return false, err
	}
	_, named := given["vnfSnapshotPkgId"]
	if named {
		snapshot.VnfSnapshotPkgID = req.VnfSnapshotPkgID // none, when it is null
	}
	record, filled := given["vnfSnapshot"].(map[string]any)
	if filled {
		snapshot.VnfSnapshot, err = keptRecord(record)
	}
	return named || filled, err
}

// keptRecord is the stored part of a record. Members that are null count as absent. It drops links, which lead to the
// record's origin, and passwords, which would have no use: no VNF goes back to a snapshot.
func keptRecord(record map[string]any) (json.RawMessage, error) {
	delete(record, "_links")
	if inst, ok := record["vnfInstance"].(map[string]any); ok {
		delete(inst, "_links")
	}
	kept, err := json.Marshal(withoutNulls(record))
	return secrets.MaskDocument(kept), err
}

// withoutNulls removes the members that are null from a document, as RFC 7396 does when a patch is applied to nothing.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, member any) bool { return member == nil })
		for _, member := range v {
			withoutNulls(member)
		}
	case []any:
		for _, item := range v {
			withoutNulls(item)
		}
	}
	return v
}
