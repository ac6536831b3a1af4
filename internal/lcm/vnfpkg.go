package lcm

import (
	"encoding/json"
	"time"
)

// OnboardingState is SOL003 clause 10.5.4.3 PackageOnboardingStateType.
type OnboardingState string

// The states of an upload.
const (
	PkgCreated    OnboardingState = "CREATED"
	PkgUploading  OnboardingState = "UPLOADING"
	PkgProcessing OnboardingState = "PROCESSING"
	PkgOnboarded  OnboardingState = "ONBOARDED"
)

// Values of operationalState and usageState (SOL005 clause 9.5.4).
const (
	PkgEnabled  = "ENABLED"
	PkgDisabled = "DISABLED"
	PkgInUse    = "IN_USE"
	PkgNotInUse = "NOT_IN_USE"
)

// VnfPkg is VnfPkgInfo of SOL005 clause 9.5.2.5.
type VnfPkg struct {
	ID               VnfPkgID
	ProjectID        ProjectID // set by the database
	OnboardingState  OnboardingState
	OperationalState string
	UsageState       string
	VnfdID           VnfdID
	Provider         string
	ProductName      string
	SoftwareVersion  string
	VnfdVersion      string
	ChecksumAlgo     string
	Checksum         string
	UserDefinedData  map[string]any
	// Vnfd is the parsed descriptor: descriptor.Vnfd as JSON.
	Vnfd json.RawMessage
	// Artifacts lists the files of the package that are not images: path, size and digest.
	Artifacts []PkgArtifact
	// Warnings are oddities that were accepted, e.g. a file that TOSCA.meta names and the archive lacks.
	Warnings []Problem
	// Error is the reason why the last upload failed, nil otherwise.
	Error *Error
	// Source is the request to fetch the archive from a URI, a PkgSource with sealed secrets. It is empty when there is
	// nothing to fetch.
	Source  json.RawMessage
	Created time.Time
	Updated time.Time
	Version int64
}

// PkgSource is UploadVnfPkgFromUriRequest (SOL005 clause 9.5.2.3), with user and password as in Tacker.
type PkgSource struct {
	AddressInformation string `json:"addressInformation"`
	UserName           string `json:"userName,omitempty"`
	Password           string `json:"password,omitempty"`
	// NfvoVnfdID, which excludes all other members, is the VNFD of a package that the NFVO has.
	NfvoVnfdID VnfdID `json:"nfvoVnfdId,omitempty"`
}

// PkgSecrets is the prefix of the names of a package's secrets.
func PkgSecrets(id VnfPkgID) SecretRef { return SecretRef("pkg/" + string(id)) }

// WorkflowFetch fetches the archive of a package from its Source.
const WorkflowFetch WorkflowName = "FetchPackage"

// FetchInput starts WorkflowFetch.
type FetchInput struct {
	VnfPkgID VnfPkgID `json:"vnfPkgId"`
}

// FetchWorkflowID is the workflow id for fetching the archive of a package. It is the same each time, so that only one
// fetch runs at a time.
func FetchWorkflowID(id VnfPkgID) string { return "fetch-" + string(id) }

// PkgArtifact is one file of a package.
type PkgArtifact struct {
	Path      string `json:"artifactPath"`
	Size      int64  `json:"size"`
	Algorithm string `json:"algorithm,omitempty"`
	Hash      string `json:"hash,omitempty"`
}
