package lcm

// MaxStepOutput limits the stored output of one node in a step, over all attempts, in bytes as OutputSize counts them:
// a VM may print without end. A last line says that the rest was cut off.
const MaxStepOutput = 4 << 20

// OutputSize is the size of a line with the overhead of storing it.
func OutputSize(line string) int { return len(line) + 64 }
