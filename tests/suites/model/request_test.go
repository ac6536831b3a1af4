package model

import (
	"fmt"
	"net/http"
)

// ask returns the request of an action, in the form of v1 or v2.
func (w *walker) ask(a action, v2 bool) (method, path string, body any) {
	inst, op := "/vnf_instances/"+w.vnf, "/vnf_lcm_op_occs/"+w.op
	switch a {
	case remove:
		return http.MethodDelete, inst, nil
	case instantiate:
		return http.MethodPost, inst + "/instantiate", w.kind.instantiateRequest(w, v2)
	case terminate:
		return http.MethodPost, inst + "/terminate", map[string]any{"terminationType": "FORCEFUL"}
	case heal:
		return http.MethodPost, inst + "/heal", w.healRequest()
	case stop:
		return http.MethodPost, inst + "/operate", map[string]any{"changeStateTo": "STOPPED"}
	case start:
		return http.MethodPost, inst + "/operate", map[string]any{"changeStateTo": "STARTED"}
	case scaleOut, scaleIn:
		way := map[action]string{scaleOut: "SCALE_OUT", scaleIn: "SCALE_IN"}[a]
		return http.MethodPost, inst + "/scale", map[string]any{"type": way, "aspectId": "servers"}
	case scaleTo:
		return http.MethodPost, inst + "/scale_to_level", toLevel(w.random.IntN(mostLevel + 1))
	case scaleTooFar:
		return http.MethodPost, inst + "/scale_to_level", toLevel(mostLevel + 1)
	case connect:
		return http.MethodPost, inst + "/change_ext_conn",
			map[string]any{"extVirtualLinks": w.kind.linksTo(networks[w.random.IntN(len(networks))], v2)}
	case change:
		return http.MethodPost, inst + "/change_vnfpkg", w.kind.changeRequest(w)
	case enlarge, reduce:
		return http.MethodPost, inst + "/change_flavour", w.flavourRequest(flavours[a])
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

func toLevel(level int) map[string]any {
	return map[string]any{"scaleInfo": []any{map[string]any{"aspectId": "servers", "scaleLevel": level}}}
}

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

// healRequest returns a request for the VNFC that chooseHealed chose, or for the entire VNF.
func (w *walker) healRequest() map[string]any {
	request := map[string]any{"cause": "the model"}
	if w.healed != "" {
		request["vnfcInstanceId"] = []string{w.healed}
	}
	return request
}
