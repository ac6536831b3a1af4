package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestVerdict_leadsToWhatSuchErrorsMean(t *testing.T) {
	o := opOcc{ID: "op-1", State: lcm.FailedTemp, Error: &apiError{Title: "Exhausted", Detail: "The cloud is full."}}
	err := verdict(o, lcm.Completed)
	require.ErrorContains(t, err, "The cloud is full.\nRead what such errors mean:      docs/troubleshooting.md#exhausted\nMend")
	o.Error.Title = "Service Unavailable"
	assert.NotContains(t, verdict(o, lcm.Completed).Error(), "troubleshooting", "this is no kind of ours")
	o.Error = nil
	assert.NotContains(t, verdict(o, lcm.Completed).Error(), "troubleshooting")
}
