package operations

import (
	"encoding/json"
	"maps"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// overridden merges the request of a later operation into the VNF's stored parameters (RFC 7396). A heal or a
// CHANGE_VNFPKG may override any parameter, above all credentials in a heal. A scaling or a CHANGE_EXT_CONN may
// override only the member nfv, as in Tacker.
func (o *Operation) overridden(stored json.RawMessage) (json.RawMessage, error) {
	switch r := o.Own.(type) {
	case lcm.HealRequest:
		if len(r.AdditionalParams) == 0 {
			return stored, nil
		}
		return merged(orObject(stored), r.AdditionalParams)
	case lcm.ScaleRequest:
		return withOwnNfv(stored, r.AdditionalParams)
	case lcm.ScaleToLevelRequest:
		return withOwnNfv(stored, r.AdditionalParams)
	case lcm.ChangeExtConnRequest:
		return reconnected(r, stored)
	case lcm.ChangeVnfPkgRequest:
		if o.OpOcc.State.Terminal() {
			return stored, nil
		}
		return Repackaged(r, stored)
	default:
		return stored, nil
	}
}

// withOwnNfv merges the member nfv of a request's additionalParams into the VNF's parameters.
func withOwnNfv(stored, additional json.RawMessage) (json.RawMessage, error) {
	nfv, err := nfvOf(additional)
	if err != nil || len(nfv) == 0 {
		return stored, err
	}
	return merged(orObject(stored), nfv)
}

func orObject(params json.RawMessage) json.RawMessage {
	if len(params) == 0 {
		return json.RawMessage(`{}`)
	}
	return params
}

// nfvOf returns an object with the member nfv of additionalParams, nil if there is none.
func nfvOf(additional json.RawMessage) (json.RawMessage, error) {
	var of struct {
		Nfv json.RawMessage `json:"nfv"`
	}
	if len(additional) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(additional, &of); err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	if len(of.Nfv) == 0 || string(of.Nfv) == "null" {
		return nil, nil
	}
	return json.Marshal(of)
}

// reconnected lets the links and the nfv of a CHANGE_EXT_CONN override what an earlier request's nfv says about the
// same connection points.
func reconnected(request lcm.ChangeExtConnRequest, stored json.RawMessage) (json.RawMessage, error) {
	stored, err := withoutCps(stored, request.ExtVirtualLinks)
	if err != nil {
		return stored, err
	}
	return withOwnNfv(stored, request.AdditionalParams)
}

// withoutCps removes from the member nfv of parameters how the connection points of links are connected.
func withoutCps(stored json.RawMessage, links []lcm.ExtVirtualLink) (json.RawMessage, error) {
	gone := map[string]any{}
	for _, key := range cpsOf(stored) {
		for _, link := range links {
			for _, cp := range link.ExtCps {
				if _, member := descriptor.MemberIndex(cp.CpdID, key); key == cp.CpdID || member {
					gone[key] = map[string]any{"network": nil, "fixed_ips": nil, "mac_address": nil, "port": nil}
				}
			}
		}
	}
	if len(gone) == 0 {
		return stored, nil
	}
	patch, err := json.Marshal(map[string]any{"nfv": map[string]any{"CP": gone}})
	if err != nil {
		return stored, err
	}
	return merged(stored, patch)
}

// cpsOf returns the connection points that the member nfv of the parameters mentions.
func cpsOf(params json.RawMessage) (keys []string) {
	var of struct {
		Nfv struct {
			CP map[string]json.RawMessage `json:"CP"`
		} `json:"nfv"`
	}
	if json.Unmarshal(params, &of) != nil {
		return nil
	}
	for key := range maps.Keys(of.Nfv.CP) {
		keys = append(keys, key)
	}
	return keys
}

// OwnPorts returns links with the ports that the request of a scaling or a heal names itself. Those of a
// CHANGE_EXT_CONN are in its plan.
func (o *Operation) OwnPorts(links []lcm.ExtVirtualLink) ([]lcm.ExtVirtualLink, error) {
	var additional json.RawMessage
	switch r := o.Own.(type) {
	case lcm.ScaleRequest:
		additional = r.AdditionalParams
	case lcm.ScaleToLevelRequest:
		additional = r.AdditionalParams
	case lcm.HealRequest:
		additional = r.AdditionalParams
	default:
		return links, nil
	}
	nfv, err := nfvOf(additional)
	return lcm.WithNfvPorts(links, nfv, o.SeparateResources()), err
}
