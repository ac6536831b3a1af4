package lcm

import "time"

// The states of a registered VIM.
const (
	VimReachable   = "REACHABLE"
	VimUnreachable = "UNREACHABLE"
	VimPending     = "PENDING"
)

// VimFindings is what a VIM is found to have when its credentials are tried.
type VimFindings struct {
	// Regions are those of the catalog of an OpenStack, or the namespaces of a Kubernetes.
	Regions []string
	// Version is that of a Kubernetes.
	Version string
	// Warnings are sentences about what will not work, or is dangerous.
	Warnings []string
}

// VimCheck is how the last look at a registered VIM went.
type VimCheck struct {
	At       time.Time `json:"at,omitzero"`
	Version  string    `json:"version,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	// Reason says why the VIM is not reachable.
	Reason string `json:"reason,omitempty"`
	// Denied tells that the credentials were refused.
	Denied bool `json:"denied,omitempty"`
}

// Found puts what was found into the VIM.
func (v *Vim) Found(f VimFindings, at time.Time) {
	v.Status, v.Regions = VimReachable, f.Regions
	v.Check = VimCheck{At: at, Version: f.Version, Warnings: f.Warnings}
}

// Lost notes that the VIM could not be used, and why; what it was found to have before is not forgotten.
func (v *Vim) Lost(why string, denied bool, at time.Time) {
	v.Status = VimUnreachable
	v.Check.At, v.Check.Reason, v.Check.Denied = at, why, denied
}
