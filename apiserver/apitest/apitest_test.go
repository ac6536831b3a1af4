package apitest

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	id       = "0b2dd4c5-5b64-4a5e-8d5c-2e1f63b1f0aa"
	instance = `"id":"` + id + `","vnfdId":"d","vnfProvider":"p","vnfProductName":"n","vnfSoftwareVersion":"1","vnfdVersion":"1"`
	links    = `"_links":{"self":{"href":"http://vnfm.example/x"}}`
)

// exchange returns an exchange with JSON in both directions.
func exchange(method, target, request string, status int, body string, headers ...string) Exchange {
	e := Exchange{
		Method: method, Target: target, ContentType: "application/json", Request: []byte(request), Status: status,
		Body: []byte(body), Header: http.Header{},
	}
	if body != "" {
		e.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		e.Header.Set(headers[i], headers[i+1])
	}
	return e
}

func TestCheck_takesWhatIsDefined(t *testing.T) {
	for _, e := range []Exchange{
		exchange("GET", "/vnflcm/v2/vnf_instances/"+id, "", 200,
			`{`+instance+`,"instantiationState":"NOT_INSTANTIATED",`+links+`}`, "ETag", `"1"`),
		exchange("GET", "/vnflcm/v2/vnf_instances?fields=id", "", 200, `[{"id":"x"}]`),
		exchange("GET", "//vnflcm//v1/vnf_lcm_op_occs", "", 200, `[]`),
		exchange("POST", "/vnflcm/v1/vnf_instances/"+id+"/scale", `{"type":"SCALE_OUT","aspectId":"a","numberOfSteps":"1"}`,
			202, "", "Location", "http://x"),
		// The server refuses the request.
		exchange("POST", "/vnflcm/v1/vnf_instances/"+id+"/scale", `{"what":"ever"}`, 400, ""),
		exchange("GET", "/nowhere", "", 404, ""),
	} {
		require.NoError(t, Check(e))
	}
}

func TestCheck_findsWhatIsNotDefined(t *testing.T) {
	all, err := etsiDefinitions()
	require.NoError(t, err)
	for what, c := range map[string]struct {
		e     Exchange
		says  string
		byAll bool // ETSI's definition finds it, too
	}{
		"a member too many": {
			exchange("GET", "/vnflcm/v2/vnf_instances/"+id, "", 200,
				`{`+instance+`,"instantiationState":"NOT_INSTANTIATED","colour":"red",`+links+`}`, "ETag", `"1"`),
			`property "colour" is unsupported`, false,
		},
		"a member too few": {
			exchange("GET", "/vnflcm/v1/vnf_instances", "", 200, `[{`+instance+`,`+links+`}]`),
			`"instantiationState" is missing`, true,
		},
		"a wrong value": {
			exchange("GET", "/vnfpkgm/v1/vnf_packages/"+id, "", 200,
				`{"id":"`+id+`","onboardingState":"THERE","operationalState":"ENABLED","usageState":"IN_USE",`+links+`}`, "ETag",
				`"1"`),
			"/onboardingState", true,
		},
		"a wrong status": {exchange("DELETE", "/vnflcm/v1/vnf_instances/"+id, "", 202, ""), "status", true},
		"no Location": {
			exchange("POST", "/vnflcm/v1/vnf_instances/"+id+"/heal", `{}`, 202, ""), "Location is missing",
			false,
		},
		"a wrong request": {
			exchange("POST", "/vnflcm/v2/vnf_instances", `{"vnfInstanceName":"a"}`, 201, ""),
			`"vnfdId" is missing`, true,
		},
		"another media type": {
			exchange("GET", "/windlass/v1/vnf_lcm_op_occs/"+id+"/logs", "", 200, `{}`), "application/json",
			false,
		},
		"nothing like it": {exchange("GET", "/windlass/v1/colours", "", 200, `{}`), "not described", false},
	} {
		err := Check(c.e)
		require.ErrorContains(t, err, c.says, what)
		if c.byAll && len(all) > 0 {
			require.ErrorContains(t, err, "ETSI", what)
		}
	}
}

func TestCheckShown_wantsRequestsWithoutMembersThatAreNotDescribed(t *testing.T) {
	const policy = "/windlass/v1/vnf_instances/" + id + "/drift_policy"
	answer := `{"check":true,"interval":300,"autoHeal":true,"agreeingChecks":2,"maxHeals":3,"maxHealsPeriod":3600}`
	right := exchange("PUT", policy, `{"check":true}`, 200, answer, "ETag", `"1"`)
	require.NoError(t, CheckShown(right))
	misspelt := exchange("PUT", policy, `{"chek":true}`, 200, answer, "ETag", `"1"`)
	require.NoError(t, Check(misspelt))
	require.ErrorContains(t, CheckShown(misspelt), `property "chek" is unsupported`)
}
