package lcm

// MaxStepOutput is what is kept of what one node prints in a step, in all attempts, in bytes as OutputSize counts them:
// a VM may print without end. A line says where the rest was cut off.
const MaxStepOutput = 4 << 20

// OutputSize is what a line counts: itself, and what it costs to keep a line.
func OutputSize(line string) int { return len(line) + 64 }
