package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// instanceWith returns an API with an instance that has these operations, by their states.
func instanceWith(byState map[string]string) *fakeAPI {
	return &fakeAPI{answers: map[string]http.HandlerFunc{
		"GET /vnflcm/v1/vnf_instances/" + vnfID: ok(200, vnf),
		"GET /vnflcm/v1/vnf_lcm_op_occs": func(w http.ResponseWriter, r *http.Request) {
			for state, list := range byState {
				if strings.Contains(r.URL.Query().Get("filter"), ","+state+")") {
					ok(200, list)(w, r)
					return
				}
			}
			ok(200, "[]")(w, r)
		},
		"GET /windlass/v1/vnf_lcm_op_occs/whole/plan": ok(200, `{"operation":"HEAL","whole":true}`),
		"GET /windlass/v1/vnf_lcm_op_occs/anew/plan":  ok(200, `{"operation":"HEAL","whole":true}`),
		"GET /vnflcm/v1/vnf_lcm_op_occs/whole":        ok(200, wholeHeal),
		"GET /vnflcm/v1/vnf_lcm_op_occs/anew": ok(200,
			strings.Replace(anewHeal, `{`, `{"operationParams":{"additionalParams":{"keep_volumes":false}},`, 1)),
		"GET /windlass/v1/vnf_lcm_op_occs/some/plan": ok(200, `{"operation":"HEAL","leaving":[{"vnfcId":"a"}]}`),
	}}
}

const (
	wholeHeal = `{"id":"whole","operation":"HEAL","operationState":"FAILED","startTime":"2026-11-21T11:00:00Z"}`
	anewHeal  = `{"id":"anew","operation":"HEAL","operationState":"FAILED","startTime":"2026-11-21T11:20:00Z"}`
	someHeal  = `{"id":"some","operation":"HEAL","operationState":"FAILED","startTime":"2026-11-21T11:30:00Z"}`
)

func TestVnfShow_tellsWhatAHealThatWasGivenUpNeeds(t *testing.T) {
	done := func(operation, at string) string {
		return `[{"id":"done","operation":"` + operation + `","operationState":"COMPLETED","startTime":"` + at + `"}]`
	}
	for name, c := range map[string]struct {
		byState map[string]string
		says    string
	}{
		"given up": {map[string]string{"FAILED": "[" + wholeHeal + "," + someHeal + "]"}, "windlass vnf heal " +
			vnfID + " --all"},
		"with its volumes": {map[string]string{"FAILED": "[" + wholeHeal + "," + anewHeal + "]"}, "windlass vnf heal " +
			vnfID + " --all --keep-volumes=false"},
		"stopped since": {map[string]string{
			"FAILED":    "[" + wholeHeal + "]",
			"COMPLETED": done("OPERATE", "2026-11-21T11:40:00Z"),
		}, "--all"},
		"made good": {map[string]string{
			"FAILED":    "[" + wholeHeal + "]",
			"COMPLETED": done("HEAL", "2026-11-21T11:40:00Z"),
		}, ""},
		"instantiated before": {map[string]string{
			"FAILED":    "[" + wholeHeal + "]",
			"COMPLETED": done("INSTANTIATE", "2026-11-21T10:00:00Z"),
		}, "(whole) was given up"},
		"a heal of some VNFCs": {map[string]string{"FAILED": "[" + someHeal + "]"}, ""},
		"waits for a decision": {
			map[string]string{"FAILED_TEMP": "[" + op + "]", "FAILED": "[" + wholeHeal + "]"},
			"windlass op show " + opID,
		},
		"nothing has gone awry": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := windlass(t, instanceWith(c.byState), "vnf", "show", vnfID)
			require.Equal(t, 0, got.code, got.err)
			if c.says == "" {
				assert.NotContains(t, got.out, "To do")
			} else {
				assert.Contains(t, got.out, c.says)
			}
		})
	}
	assert.NotContains(t, windlass(t, instanceWith(map[string]string{"FAILED": "[" + wholeHeal + "]"}), "vnf", "show",
		vnfID, "--json").out, "--all")
}
