// Package lcm is the domain of Windlass: VNF instances, lifecycle operation occurrences, their
// states, the errors that people read, and the names under which workflows are started. It does
// no I/O and imports the standard library only, so that every other package may import it.
package lcm

// The ids are typed so that one cannot be passed for another. All of them are UUIDs unless said otherwise.
type (
	// VnfInstanceID identifies a VnfInstance (SOL003 clause 5.5.2.2).
	VnfInstanceID string
	// OpOccID identifies a VnfLcmOpOcc (SOL003 clause 5.5.2.13).
	OpOccID string
	// VnfPkgID identifies an on-boarded VNF package.
	VnfPkgID string
	// VnfdID is the descriptor_id of a VNFD: any string the package's author chose.
	VnfdID string
	// VimID identifies a VIM of the registry.
	VimID string
	// SecretRef names a sealed secret, e.g. "vnf/<id>/request/additionalParams.password". It is not
	// secret itself: it may appear in workflow inputs, in stored documents and in logs.
	SecretRef string
)

// SecretKey is the only member of the JSON object that stands for a sealed value in stored documents:
// {"$secret": "<SecretRef>"}. Requests that carry this key themselves are refused.
const SecretKey = "$secret"
