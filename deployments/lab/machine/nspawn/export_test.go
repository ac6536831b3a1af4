package nspawn

// Tag is the part of the names that everything of a lab on the host has in common.
func Tag(stateDir string) string { return short(stateDir)[:6] }
