package lcm

// ScriptPolicy is what becomes of scripts that VNF packages name at hooks of operations.
type ScriptPolicy string

// The policies. The zero value is ScriptsSkipped.
const (
	// ScriptsRefused refuses operations that would run a script.
	ScriptsRefused ScriptPolicy = "refuse"
	// ScriptsSkipped goes on without them; a step of the operation says so.
	ScriptsSkipped ScriptPolicy = "skip"
	ScriptsRun     ScriptPolicy = "run"
)
