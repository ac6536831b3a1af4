package document

import "cmp"

// Limits bound one YAML file of a stranger. A zero field means its default.
type Limits struct {
	// MaxSize is the size of the file; default 1 MiB.
	MaxSize int64
	// MaxNodes counts the values of the file with its aliases expanded; default 50,000.
	MaxNodes int
	// MaxExpanded is the size of the file's texts with its aliases expanded; default 4 MiB.
	MaxExpanded int64
	// MaxDepth is how deep values may be nested; default 64.
	MaxDepth int
}

// WithDefaults replaces the limits that are not set.
func (l Limits) WithDefaults() Limits {
	return Limits{
		MaxSize: cmp.Or(l.MaxSize, 1<<20), MaxNodes: cmp.Or(l.MaxNodes, 50_000),
		MaxExpanded: cmp.Or(l.MaxExpanded, 4<<20), MaxDepth: cmp.Or(l.MaxDepth, 64),
	}
}
