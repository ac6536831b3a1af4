package lcm

import "time"

// The states of a registered VIM.
const (
	VimReachable   = "REACHABLE"
	VimUnreachable = "UNREACHABLE"
	VimPending     = "PENDING"
)

// VimFindings is what a check of a VIM's credentials learned about the VIM.
type VimFindings struct {
	// Regions are the regions in an OpenStack's catalog, or the namespaces of a Kubernetes.
	Regions []string
	// Version is the version of a Kubernetes.
	Version string
	// Warnings are sentences about functions that will not work, and about dangers.
	Warnings []string
}

// VimQuota is a limit of a VIM for a project or a namespace. Its numbers are texts, as the VIM writes them: "8", "16Gi".
type VimQuota struct {
	// Resource is what is limited, e.g. "servers" or "requests.memory".
	Resource string
	// Limit is "" if there is no limit, Used is "" if nobody tells.
	Limit, Used string
}

// VimCheck is the result of the last check of a registered VIM.
type VimCheck struct {
	At       time.Time `json:"at,omitzero"`
	Version  string    `json:"version,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	// Reason says why the VIM is not reachable.
	Reason string `json:"reason,omitempty"`
	// Denied is set when the VIM refused the credentials.
	Denied bool `json:"denied,omitempty"`
}

// Found writes the findings into the VIM.
func (v *Vim) Found(f VimFindings, at time.Time) {
	v.Status, v.Regions = VimReachable, f.Regions
	v.Check = VimCheck{At: at, Version: f.Version, Warnings: f.Warnings}
}

// Lost records that the VIM could not be used, and why. Earlier findings stay.
func (v *Vim) Lost(why string, denied bool, at time.Time) {
	v.Status = VimUnreachable
	v.Check.At, v.Check.Reason, v.Check.Denied = at, why, denied
}
