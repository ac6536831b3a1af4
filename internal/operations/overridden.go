package operations

import (
	"encoding/json"
	"maps"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// overridden merges the request of a later operation into the VNF's stored parameters (RFC 7396). A heal or a
// CHANGE_VNFPKG may override any parameter, above all credentials in a heal. A scaling or a CHANGE_EXT_CONN may
// override only the member nfv, as in Tacker.
func overridden(op lcm.VnfLcmOpOcc, stored json.RawMessage) (json.RawMessage, error) {
	switch op.Operation {
	case lcm.OpHeal:
		request, err := lcm.ParseHeal(op.Params)
		if err != nil || len(request.AdditionalParams) == 0 {
			return stored, err
		}
		return merged(orObject(stored), request.AdditionalParams)
	case lcm.OpScale, lcm.OpScaleToLevel:
		nfv, err := nfvOf(op.Params)
		if err != nil || len(nfv) == 0 {
			return stored, err
		}
		return merged(orObject(stored), nfv)
	case lcm.OpChangeExtConn:
		return reconnected(op, stored)
	case lcm.OpChangeVnfPkg:
		return repackaged(op, stored)
	default:
		return stored, nil
	}
}

func orObject(params json.RawMessage) json.RawMessage {
	if len(params) == 0 {
		return json.RawMessage(`{}`)
	}
	return params
}

// nfvOf returns an object with the member nfv of a request's additionalParams, nil if there is none.
func nfvOf(request json.RawMessage) (json.RawMessage, error) {
	var of struct {
		AdditionalParams struct {
			Nfv json.RawMessage `json:"nfv"`
		} `json:"additionalParams"`
	}
	if err := json.Unmarshal(request, &of); err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	if len(of.AdditionalParams.Nfv) == 0 || string(of.AdditionalParams.Nfv) == "null" {
		return nil, nil
	}
	return json.Marshal(map[string]json.RawMessage{"nfv": of.AdditionalParams.Nfv})
}

// reconnected lets the links and the nfv of a CHANGE_EXT_CONN override what an earlier request's nfv says about the
// same connection points.
func reconnected(op lcm.VnfLcmOpOcc, stored json.RawMessage) (json.RawMessage, error) {
	request, err := lcm.ParseChangeExtConn(op.Params)
	if err != nil {
		return stored, err
	}
	gone := map[string]any{}
	for _, key := range cpsOf(stored) {
		for _, link := range request.ExtVirtualLinks {
			for _, cp := range link.ExtCps {
				if _, member := vnfpkg.MemberIndex(cp.CpdID, key); key == cp.CpdID || member {
					gone[key] = map[string]any{"network": nil, "fixed_ips": nil, "mac_address": nil, "port": nil}
				}
			}
		}
	}
	if len(gone) > 0 {
		patch, err := json.Marshal(map[string]any{"nfv": map[string]any{"CP": gone}})
		if err != nil {
			return stored, err
		}
		if stored, err = merged(stored, patch); err != nil {
			return stored, err
		}
	}
	nfv, err := nfvOf(op.Params)
	if err != nil || len(nfv) == 0 {
		return stored, err
	}
	return merged(orObject(stored), nfv)
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

// OwnPorts returns the VNF's links with the ports that the request of a scaling or a heal names itself.
func (o *Operation) OwnPorts() ([]lcm.ExtVirtualLink, error) {
	nfv, err := nfvOf(o.OpOcc.Params)
	return lcm.WithNfvPorts(o.Instance.Instantiated.ExtVirtualLinks, nfv, o.SeparateResources()), err
}
