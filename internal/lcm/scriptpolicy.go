package lcm

// ScriptPolicy says how Windlass treats scripts that VNF packages name at hooks of operations.
type ScriptPolicy string

// The policies. The zero value is ScriptsSkipped.
const (
	// ScriptsRefused refuses operations that would run a script.
	ScriptsRefused ScriptPolicy = "refuse"
	// ScriptsSkipped runs the operation without the scripts; a step of the operation says so.
	ScriptsSkipped ScriptPolicy = "skip"
	ScriptsRun     ScriptPolicy = "run"
)
