package requests

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// scale is SOL003 clause 5.5.2.5, the same in both versions.
type scale struct {
	params.Noted
	Type             string       `json:"type" param:"required; enum=SCALE_OUT|SCALE_IN"`
	AspectID         string       `json:"aspectId" param:"required"`
	NumberOfSteps    count        `json:"numberOfSteps" param:"min=1"`
	AdditionalParams changeParams `json:"additionalParams"`
}

func (r *scale) problems() []lcm.Problem { return nil }

func (r *scale) reading() Reading {
	steps := int(r.NumberOfSteps)
	if params.Absent(r.Member("numberOfSteps")) {
		steps = 1
	}
	return Reading{Request: lcm.ScaleRequest{
		Type: lcm.ScaleType(r.Type), AspectID: r.AspectID, NumberOfSteps: steps, AdditionalParams: paramsIn(r.Noted),
		Choice: r.AdditionalParams.choice(), Waits: r.AdditionalParams.waits(),
	}}
}

// scaleToLevel is SOL003 clause 5.5.2.6, the same in both versions.
type scaleToLevel struct {
	params.Noted
	InstantiationLevelID string `json:"instantiationLevelId"`
	ScaleInfo            []struct {
		AspectID   string `json:"aspectId" param:"required"`
		ScaleLevel *int   `json:"scaleLevel" param:"required; min=0"`
	} `json:"scaleInfo"`
	AdditionalParams changeParams `json:"additionalParams"`
}

func (r *scaleToLevel) problems() []lcm.Problem { return nil }

func (r *scaleToLevel) reading() Reading {
	out := lcm.ScaleToLevelRequest{
		InstantiationLevelID: r.InstantiationLevelID, AdditionalParams: paramsIn(r.Noted),
		Choice: r.AdditionalParams.choice(), Waits: r.AdditionalParams.waits(),
	}
	for _, info := range r.ScaleInfo {
		level := lcm.ScaleInfo{AspectID: info.AspectID}
		if info.ScaleLevel != nil {
			level.ScaleLevel = *info.ScaleLevel
		}
		out.ScaleInfo = append(out.ScaleInfo, level)
	}
	return Reading{Request: out}
}

// changeParams choose the VMs that go; see lcm.ScaleInChoice. nfv has values for templates.
type changeParams struct {
	VnfcInstanceIDs lcm.Texts      `json:"vnfc_instance_ids"`
	ScaleInPolicy   string         `json:"scale_in_policy" param:"enum=newest|oldest"`
	Nfv             map[string]any `json:"nfv"`
	patience
}

func (p changeParams) choice() lcm.ScaleInChoice {
	return lcm.ScaleInChoice{VnfcIDs: p.VnfcInstanceIDs, Policy: p.ScaleInPolicy}
}

// patience is for VNFs of containers; see lcm.Waits.
type patience struct {
	Patience     int `json:"patience" param:"min=1; max=3600; unit=seconds"`
	ReadyTimeout int `json:"ready_timeout" param:"min=1; max=7200; unit=seconds"`
}

func (p patience) waits() lcm.Waits {
	return lcm.Waits{Patience: p.Patience, ReadyTimeout: p.ReadyTimeout}
}

// count is a number. Tacker's guides also write it as a string, and some programs write 1 as 1.0.
type count int

// Usual implements params.Usual.
func (count) Usual(doc json.RawMessage) json.RawMessage {
	text := strings.Trim(string(doc), `"`)
	if whole, zeros, _ := strings.Cut(text, "."); zeros != "" && strings.Trim(zeros, "0") == "" {
		text = whole
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return doc
	}
	return json.RawMessage(strconv.Itoa(n))
}
