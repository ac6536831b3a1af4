package apiserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequests_haveLimits(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v2")
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
		refused := b.do("POST", instance+"/heal", body)
		refused.problem(http.StatusBadRequest)
		require.Equal(t, []string{path}, refused.paths())
	}
	require.Empty(t, b.starter.starts)
	b.do("POST", instance+"/heal", nested(60)).want(http.StatusAccepted)
	b.do("GET", "/vnflcm/v2/vnf_lcm_op_occs?exclude_fields=error", nil).list()
}
