package openstack

import (
	"strings"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// StackLevel is the level of a stack or a resource for Heat's status.
func StackLevel(status string) vim.Level {
	switch {
	case strings.HasPrefix(status, "DELETE_"):
		return vim.Removed
	case strings.HasSuffix(status, "_FAILED"):
		return vim.Failed
	case strings.HasSuffix(status, "_IN_PROGRESS"):
		return vim.Changing
	case strings.HasSuffix(status, "_COMPLETE"):
		return vim.Running
	}
	return ""
}

// resourceLevel is StackLevel for resources. DELETE_FAILED counts as failed: Heat also replaces a resource that it
// could not delete.
func resourceLevel(status string) vim.Level {
	if strings.HasSuffix(status, "_FAILED") {
		return vim.Failed
	}
	return StackLevel(status)
}

// ServerLevel is the level of a server for Nova's status.
func ServerLevel(status string) vim.Level {
	switch status {
	case "":
		return ""
	case "DELETED", "SOFT_DELETED":
		return vim.Removed
	case statusOn:
		return vim.Running
	case statusOff:
		return vim.Stopped
	case statusError:
		return vim.Failed
	case "PAUSED", "SUSPENDED", "SHELVED", "SHELVED_OFFLOADED":
		return vim.Paused
	}
	return vim.Changing
}
