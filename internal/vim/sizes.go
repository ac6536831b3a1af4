package vim

// Sizes says which sizes the groups of a deployment get.
type Sizes string

const (
	// SizesGrown are those of the plan where they are larger than before.
	SizesGrown Sizes = "grown"
	// SizesPlanned are those of the plan.
	SizesPlanned Sizes = "planned"
	// SizesRecorded are those of the VNF as it is recorded: an enlargement is undone, and every server that is not
	// recorded goes.
	SizesRecorded Sizes = "recorded"
)
