package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestVerdict_leadsToWhatSuchErrorsMean(t *testing.T) {
	o := opOcc{
		ID: "op-1", State: lcm.FailedTemp, Links: map[string]any{"self": map[string]any{"href": "https://vnfm.example/vnflcm/v1/op-1"}},
		Error: &apiError{Title: "Exhausted", Detail: "The cloud is full.", Type: "/docs/troubleshooting.md#exhausted"},
	}
	err := verdict(o, lcm.Completed)
	require.ErrorContains(t, err, "The cloud is full.\nRead what such errors mean:     "+
		"https://vnfm.example/docs/troubleshooting.md#exhausted\nMend")
	o.Error.Type = ""
	assert.NotContains(t, verdict(o, lcm.Completed).Error(), "troubleshooting", "the server does not say")
	o.Error = nil
	assert.NotContains(t, verdict(o, lcm.Completed).Error(), "troubleshooting")
}

func TestVerdict_offersNoRetryFirstWhereOnlyAnotherRequestHelps(t *testing.T) {
	for _, e := range []apiError{
		{Title: "Invalid", Detail: "There is no image x."}, {Title: "Denied", Detail: "It is denied.", OtherRequest: true},
	} {
		o := opOcc{ID: "op-1", State: lcm.FailedTemp, Error: &e, Links: map[string]any{"rollback": "x"}}
		require.ErrorContains(t, verdict(o, lcm.Completed), "Undo it, correct the request, and send it anew:     windlass op "+
			"rollback op-1\nOnly if the cause is elsewhere, mend it and retry:  windlass op retry op-1\n")
		o.Links = nil
		assert.NotContains(t, verdict(o, lcm.Completed).Error(), "rollback", "there is no way back")
	}
}
