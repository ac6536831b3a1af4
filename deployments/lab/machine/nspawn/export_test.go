package nspawn

// Tag is what everything of that lab on the host carries in its name.
func Tag(stateDir string) string { return short(stateDir)[:6] }
