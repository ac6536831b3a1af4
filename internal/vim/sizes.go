package vim

// Sizes selects the sizes that the groups of a deployment get.
type Sizes string

const (
	// SizesGrown takes the sizes of the plan where they are larger than before.
	SizesGrown Sizes = "grown"
	// SizesPlanned takes the sizes of the plan.
	SizesPlanned Sizes = "planned"
	// SizesRecorded takes the recorded sizes of the VNF. This undoes an enlargement: every server that is not recorded
	// goes.
	SizesRecorded Sizes = "recorded"
)
