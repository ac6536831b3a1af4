package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written writes a file with this text and returns its path.
func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestMistakes_areToldWithWhatWasMeant(t *testing.T) {
	for want, args := range map[string][]string{
		"windlass: \"lst\" is no command of 'windlass vnf'. Did you mean 'windlass vnf list'? See 'windlass vnf --help'\n": {
			"vnf", "lst",
		},
		"windlass: \"frobnicate\" is no command of 'windlass op'. See 'windlass op --help'\n": {"op", "frobnicate"},
		"windlass: There is no state FAILEDTEMP. Did you mean FAILED_TEMP? The states are STARTING, PROCESSING, COMPLETED, " +
			"FAILED_TEMP, FAILED, ROLLING_BACK, ROLLED_BACK. See 'windlass op list --help'\n": {"op", "list", "--state", "FAILEDTEMP"},
		"windlass: Invalid argument \"x\" for \"--step\" flag: that is no number. See 'windlass op logs --help'\n": {
			"op", "logs", opID, "--step", "x",
		},
		"windlass: Invalid argument \"often\" for \"--every\" flag: this is no time like 5m: \"often\". See " +
			"'windlass vnf drift-policy --help'\n": {"vnf", "drift-policy", vnfID, "--every", "often"},
		"windlass: Invalid argument \"5\" for \"--every\" flag: this has no unit, as 5m has: \"5\". See " +
			"'windlass vnf drift-policy --help'\n": {"vnf", "drift-policy", vnfID, "--every", "5"},
		"windlass: Invalid argument \"maybe\" for \"--default\" flag: give true or false. See 'windlass vim update --help'\n": {
			"vim", "update", "north", "--default=maybe",
		},
	} {
		assert.Equal(t, result{exitUsage, "", want}, windlass(t, resources(), args...))
	}
	assert.Zero(t, windlass(t, resources(), "vnf").code, "who asks for nothing gets the help")
}

func TestMistakes_inFilesHaveTheirLine(t *testing.T) {
	file := written(t, "request.json", "{\n  \"flavourId\": \"simple\",\n  \"vnf\": }\n")
	assert.Equal(t, "windlass: The file "+file+" is not JSON: line 3, column 10: invalid character '}' looking for beginning "+
		"of value.\n", windlass(t, resources(), "vnf", "instantiate", vnfID, file).err)

	file = written(t, "north.yaml", "auth_url: http://cloud:5000/v3\nusername: u\npasword: s3cret\ncolor: red\n")
	got := windlass(t, resources(), "vim", "register", "north", "--config", file)
	assert.Equal(t, "windlass: The file "+file+" has mistakes:\n  line 3: pasword is no key of a VIM's file; did you mean "+
		"password?\n  line 4: color is no key of a VIM's file\n", got.err)
	assert.NotContains(t, got.err, "s3cret")
}

func TestSentence_leavesNamesOfFilesAlone(t *testing.T) {
	for text, want := range map[string]string{
		"no such operation":        "No such operation.",
		"request.json is empty":    "request.json is empty.",
		"k8s-ha/x is no directory": "k8s-ha/x is no directory.",
		"interrupted; it goes on":  "Interrupted; it goes on.",
	} {
		assert.Equal(t, want, sentence(text))
	}
}

func TestOpLogs_saysWhyThereIsNothing(t *testing.T) {
	api := resources()
	api.answers["GET /windlass/v1/vnf_lcm_op_occs/"+opID+"/logs"] = ok(200, "==> 1. Join the workers\n")
	for want, args := range map[string][]string{
		"windlass: Operation " + opID + " has no step 99; its steps are 0 to 2.\n": {"--step", "99"},
		"windlass: Step 1 does nothing on a node \"cp-9\"; its nodes are: cp-1.\n": {"--step", "1", "--node", "cp-9"},
		"windlass: Step 0 does nothing on a node \"cp-1\"; its nodes are: none.\n": {"--step", "0", "--node", "cp-1"},
		"Step 1 has printed nothing.\n":                                            {"--step", "1"},
		"windlass: No step of operation " + opID + " has printed anything on a node \"cp-9\"; 'windlass op steps " + opID +
			"' shows the nodes.\n": {"--node", "cp-9"},
	} {
		got := windlass(t, api, append([]string{"op", "logs", opID}, args...)...)
		assert.Equal(t, want, got.err)
		assert.Equal(t, want != "Step 1 has printed nothing.\n", got.code == 1)
	}
}

func TestPlan_tellsMistakesByTheirPlaceInTheFile(t *testing.T) {
	api := resources()
	api.answers["POST /windlass/v1/vnf_instances/"+vnfID+"/plan"] = problem(400, `{"status":400,
		"detail":"The request has mistakes: $.request.flavourId: is missing; $.request: is odd",
		"problems":[{"path":"$.request.flavourId","detail":"is missing"},{"path":"$.request","detail":"is odd"}]}`)
	file := written(t, "request.json", "{}")
	assert.Equal(t, "windlass: The request has mistakes:\n  $.flavourId: is missing\n  $: is odd\n",
		windlass(t, api, "vnf", "instantiate", vnfID, file, "--plan").err)
}

func TestLists_areEmptyAndNotNull(t *testing.T) {
	api := &fakeAPI{answers: map[string]http.HandlerFunc{
		"GET /vnflcm/v1/vnf_instances": ok(200, "[]"), "GET /vnflcm/v1/vnf_lcm_op_occs": ok(200, "[]"),
		"GET /vnfpkgm/v1/vnf_packages": ok(200, "[]"), "GET /v1.0/vims": ok(200, `{"vims":[]}`),
	}}
	for _, group := range []string{"vnf", "op", "package", "vim"} {
		assert.Equal(t, result{0, "[]\n", ""}, windlass(t, api, group, "list", "-o", "json"), group)
		assert.Equal(t, "The list is empty.\n", windlass(t, api, group, "list").err, group)
	}
}

func TestVnfList_isInTheOrderOfNames(t *testing.T) {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_instances"] = ok(200, `[{"id":"1","vnfInstanceName":"b"},{"id":"2","vnfInstanceName":"a"}]`)
	assert.Regexp(t, `(?s)\n2 +a .*\n1 +b `, windlass(t, api, "vnf", "list").out)
	assert.Equal(t, "vnf/1\nvnf/2\n", windlass(t, api, "vnf", "list", "-o", "name").out, "programs get the API's order")
}

func TestOpList_showsTheNewestFirst(t *testing.T) {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_lcm_op_occs"] = ok(200, `[{"id":"a","startTime":"2026-11-21T11:50:00Z"},
		{"id":"b","startTime":"2026-11-21T11:55:00Z"},{"id":"c","startTime":"2026-11-21T11:51:00Z"}]`)
	got := windlass(t, api, "op", "list", "--json")
	assert.Regexp(t, `(?s)"b".*"c".*"a"`, got.out)
}

func TestTellWaiting_speaksEverySoOften(t *testing.T) {
	var told int
	c := &cli{console: &console{err: os.Stderr}}
	for elapsed, want := range []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2} {
		told = c.tellWaiting(time.Duration(elapsed)*time.Second, told)
		assert.Equal(t, want, told)
	}
}

func TestLiveView_hasNoColoursWhereNobodyWantsThem(t *testing.T) {
	assert.Equal(t, "✔ done 1s", uncoloured(green+"✔"+plain+" done"+dim+" 1s"+plain))
}

func TestInstantiate_warnsOfAMisspeltMember(t *testing.T) {
	file := written(t, "request.json", `{"flavourId":"ha","instantiationLevel":"big","vendorThing":1}`)
	got := windlass(t, resources(), "vnf", "instantiate", vnfID, file, "-o", "name")
	assert.Equal(t, result{
		0, opID + "\n",
		"The API ignores \"instantiationLevel\" of the request. Did you mean \"instantiationLevelId\"?\n",
	}, got)
}

func TestUnknownCommand_isAWrongCommandLine(t *testing.T) {
	for _, args := range [][]string{{"vfn"}, {"vfn", "list", "-o", "json"}} {
		got := command(t, "", args...)
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.err, "vnf")
	}
	assert.Contains(t, command(t, "", "--help").out, "OpenStack and Kubernetes")
}
