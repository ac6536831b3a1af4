package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/params"
)

// counted counts how often a driver reads parameters.
type counted struct {
	driver.Driver
	times *int
}

func (c counted) Bind(additionalParams json.RawMessage) (driver.Binding, params.Mistakes) {
	*c.times++
	return c.Driver.Bind(additionalParams)
}

// TestInstantiate_readsTheParametersOnce checks that one POST reads the parameters of the cluster once: for their
// mistakes, for the name of its VIM, and for all else.
func TestInstantiate_readsTheParametersOnce(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	before, times := slices.Clone(all.Drivers), 0
	t.Cleanup(func() { copy(all.Drivers, before) })
	for i, d := range all.Drivers {
		all.Drivers[i] = counted{d, &times}
	}
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
	require.Equal(t, 1, times)
}
