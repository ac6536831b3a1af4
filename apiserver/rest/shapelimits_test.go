package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

func TestRequests_haveLimits(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v2")
	nested := func(levels int) string {
		return `{"cause":"a","more":` + strings.Repeat(`{"a b":[`, levels/2) + "1" + strings.Repeat(`]}`, levels/2) + "}"
	}
	for body, path := range map[string]string{
		nested(70):                            "$.more" + strings.Repeat("['a b'][0]", 32),
		`{"cause":"a","more":[{"x":1e400}]}`:  "$.more[0].x",
		`{"cause":"a","more":{"x":-1e400}}`:   "$.more.x",
		`{"Cause":"a"}`:                       "$.Cause",
		`{"cause":"a","ADDITIONALPARAMS":{}}`: "$.ADDITIONALPARAMS",
	} {
		refused := b.Do("POST", instance+"/heal", body)
		refused.Problem(http.StatusBadRequest)
		require.Equal(t, []string{path}, refused.Paths())
	}
	require.Empty(t, b.Starter.Starts)
	b.Do("POST", instance+"/heal", nested(60)).Want(http.StatusAccepted)
	b.Do("GET", "/vnflcm/v2/vnf_lcm_op_occs?exclude_fields=error", nil).List()
}
