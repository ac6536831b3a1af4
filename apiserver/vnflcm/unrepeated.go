package vnflcm

import "github.com/windlass-nfv/windlass/internal/lcm"

// unrepeated is a heal without what it repeats of the parameters that the VNF was instantiated with.
func unrepeated(inst lcm.VnfInstance, op lcm.Operation, body []byte) []byte {
	if op != lcm.OpHeal || inst.Instantiated == nil {
		return body
	}
	return lcm.WithoutRepeated(body, inst.Instantiated.AdditionalParams)
}
