package vnflcm

import "github.com/windlass-nfv/windlass/internal/lcm"

// unrepeated removes, from a heal, the parameters that only repeat the VNF's instantiation.
func unrepeated(inst lcm.VnfInstance, op lcm.Operation, body []byte) []byte {
	if op != lcm.OpHeal || inst.Instantiated == nil {
		return body
	}
	return lcm.WithoutRepeated(body, inst.Instantiated.AdditionalParams)
}
