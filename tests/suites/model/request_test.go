package model

import (
	"fmt"
	"net/http"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// ask returns the request of an action, in the form of v1 or v2.
func (w *walker) ask(a action, v2 bool) (method, path string, body any) {
	inst, op := "/vnf_instances/"+w.vnf, "/vnf_lcm_op_occs/"+w.op
	if o := w.order(a, v2); o.Task != "" {
		return http.MethodPost, inst + "/" + o.Task, o.Body
	}
	switch a {
	case remove:
		return http.MethodDelete, inst, nil
	case misfit:
		return http.MethodPatch, inst, map[string]any{
			"metadata":   map[string]any{labelKey: "never"},
			"extensions": map[string]any{"logLevel": misfitting},
		}
	case modify:
		w.labels++
		return http.MethodPatch, inst, map[string]any{
			"metadata": map[string]any{labelKey: fmt.Sprintf("the model, %d", w.labels)}, "vimConnectionInfo": w.kind.connections(v2),
		}
	case cancel:
		return http.MethodPost, op + "/cancel",
			map[string]any{"cancelMode": []string{"GRACEFUL", "FORCEFUL"}[w.random.IntN(2)]}
	default:
		return http.MethodPost, op + "/" + string(a), nil
	}
}

// order is the order of an action that gives the VNF an order. Other actions have no task.
func (w *walker) order(a action, v2 bool) testbed.Order {
	switch a {
	case instantiate:
		return testbed.Order{Task: "instantiate", Body: w.kind.instantiateRequest(w, v2)}
	case terminate:
		return testbed.Termination()
	case heal:
		return testbed.Healing(w.healing()...).With("cause", "the model")
	case stop:
		return testbed.Operating("STOPPED")
	case start:
		return testbed.Operating("STARTED")
	case scaleOut:
		return testbed.Scaling("SCALE_OUT", theAspect)
	case scaleIn:
		return testbed.Scaling("SCALE_IN", theAspect)
	case scaleTo:
		return testbed.ScalingTo(map[string]int{theAspect: w.random.IntN(mostLevel + 1)})
	case scaleTooFar:
		return testbed.ScalingTo(map[string]int{theAspect: mostLevel + 1})
	case connect:
		return testbed.Order{Task: "change_ext_conn", Body: map[string]any{
			"extVirtualLinks": w.kind.linksTo(networks[w.random.IntN(len(networks))], v2),
		}}
	case change:
		return testbed.Order{Task: "change_vnfpkg", Body: w.kind.changeRequest(w)}
	case enlarge, reduce:
		return testbed.Order{Task: "change_flavour", Body: w.flavourRequest(flavours[a])}
	default:
		return testbed.Order{}
	}
}

// theAspect is the only aspect of each kind of VNF.
const theAspect = "servers"

// networks are the networks of the cloud that a VNF can be connected to. The test uses their names as ids of the
// external links.
var networks = []string{"net0", "net1"}

// linksTo returns extVirtualLinks that connect the VNF's connection points to the network.
func (k kind) linksTo(network string, v2 bool) []any {
	config := map[string]any{"cpProtocolData": []any{map[string]any{"layerProtocol": "IP_OVER_ETHERNET"}}}
	var extCps []any
	for _, cp := range k.cps {
		var configs any = []any{config}
		if v2 {
			configs = map[string]any{cp: config}
		}
		extCps = append(extCps, map[string]any{"cpdId": cp, "cpConfig": configs})
	}
	return []any{map[string]any{"id": network, "resourceId": network, "extCps": extCps}}
}

// healing is the VNFC that chooseHealed chose, nothing for the entire VNF.
func (w *walker) healing() []string {
	if w.healed == "" {
		return nil
	}
	return []string{w.healed}
}
