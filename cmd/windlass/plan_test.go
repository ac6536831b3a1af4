package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	scalePlan = `{"operation":"SCALE","scaleStatus":[{"aspectId":"worker_instance","scaleLevel":1}],
		"groups":[{"aspectId":"worker_instance","vduId":"workerNode","from":4,"to":3}],
		"leaving":[{"vnfcId":"3f2a91c0-0d1e-4e0f-8a3f-6f1f2f9d9c11","vduId":"workerNode","serverId":"3f2a91c0-0d1e-4e0f-8a3f-6f1f2f9d9c11",
		"node":"worker-3f2a91c0","why":"it is among the newest"}],"instancesToAdd":0,"instancesToRemove":1`
	scaleQuota = `,"quota":{"instances":2,"cores":4,"ramMb":8192,"ports":2,"volumes":0}`
	scaleSteps = `,"steps":[{"title":"Decide what changes"},{"title":"Drain the nodes that leave","undo":"they take pods again"},
		{"title":"Remove the servers","final":true},{"title":"Forget the nodes that have left"}],"forwardOnlyFrom":2}`
)

// changing returns an API that accepts every operation and every plan.
func changing() *fakeAPI {
	api := resources()
	for _, task := range []string{"scale", "scale_to_level", "heal", "operate"} {
		api.answers["POST /vnflcm/v1/vnf_instances/"+vnfID+"/"+task] = accepted("http://api/vnflcm/v1/vnf_lcm_op_occs/" +
			opID)
	}
	api.answers["POST /windlass/v1/vnf_instances/"+vnfID+"/plan"] = ok(200, scalePlan+scaleQuota+scaleSteps)
	api.answers["GET /windlass/v1/vnf_lcm_op_occs/"+opID+"/plan"] = ok(200, scalePlan+"}")
	return api
}

// TestHeal_ofAllIsOfTheFirstVersion checks that --all means the entire VNF, whichever version a profile has. In v2,
// such a request would only replace the servers.
func TestHeal_ofAllIsOfTheFirstVersion(t *testing.T) {
	api := changing()
	got := windlass(t, api, "vnf", "heal", vnfID, "--all", "--lcm-version", "2")
	require.Zero(t, got.code, got.err)
	assert.Equal(t, "/vnflcm/v1/vnf_instances/"+vnfID+"/heal", api.last("POST").path)
}

func TestChanges_sendWhatTheFlagsSay(t *testing.T) {
	credentials := filepath.Join(t.TempDir(), "credentials.json")
	require.NoError(t, os.WriteFile(credentials,
		[]byte(`{"k8s_cluster_installation_param":{"worker_node":{"password":"s3cret"}}}`), 0o600))
	for args, want := range map[string]struct{ task, body string }{
		"scale --aspect w --out 2": {"scale", `{"type":"SCALE_OUT","aspectId":"w","numberOfSteps":2}`},
		"scale --aspect w --in 1 --vnfc a,b --policy oldest": {
			"scale", `{"type":"SCALE_IN","aspectId":"w","numberOfSteps":1,"additionalParams":{"vnfc_instance_ids":["a","b"],"scale_in_policy":"oldest"}}`,
		},
		"scale-to-level --level big": {"scale_to_level", `{"instantiationLevelId":"big"}`},
		"scale-to-level --aspect w=8,m=0 --vnfc a": {
			"scale_to_level", `{"scaleInfo":[{"aspectId":"m","scaleLevel":0},{"aspectId":"w","scaleLevel":8}],"additionalParams":{"vnfc_instance_ids":["a"]}}`,
		},
		"heal --vnfc a,b --cause lost": {"heal", `{"vnfcInstanceId":["a","b"],"cause":"lost"}`},
		"heal --all":                   {"heal", `{}`},
		"heal --all --keep-volumes=0":  {"heal", `{"additionalParams":{"keep_volumes":false}}`},
		"heal --vnfc a --keep-volumes": {"heal", `{"vnfcInstanceId":["a"],"additionalParams":{"keep_volumes":true}}`},
		"operate --start":              {"operate", `{"changeStateTo":"STARTED"}`},
		"operate --stop --graceful 60 --vnfc a,b": {
			"operate", `{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":60,"vnfcInstanceId":["a","b"]}`,
		},
		"heal --vnfc a --params " + credentials: {
			"heal", `{"vnfcInstanceId":["a"],"additionalParams":{"k8s_cluster_installation_param":{"worker_node":{"password":"s3cret"}}}}`,
		},
	} {
		t.Run(args, func(t *testing.T) {
			words := strings.Fields(args)
			api := changing()
			got := windlass(t, api, append([]string{"vnf", words[0], vnfID}, words[1:]...)...)
			require.Equal(t, result{0, "Operation " + opID + " has begun. Follow it with: windlass op watch " + opID + "\n", ""},
				got)
			assert.Equal(t, "/vnflcm/v1/vnf_instances/"+vnfID+"/"+want.task, api.last("POST").path)
			assert.JSONEq(t, want.body, api.last("POST").body)

			planned := changing()
			got = windlass(t, planned, append([]string{"vnf", words[0], vnfID, "--plan"}, words[1:]...)...)
			require.Equal(t, 0, got.code, got.err)
			assert.Equal(t, "/windlass/v1/vnf_instances/"+vnfID+"/plan", planned.last("POST").path)
			var body struct{ Request json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(planned.last("POST").body), &body))
			assert.JSONEq(t, want.body, string(body.Request))
		})
	}
}

func TestPlan_isShownBeforeAndAfterItIsDecided(t *testing.T) {
	got := windlass(t, changing(), "vnf", "scale", vnfID, "--aspect", "worker_instance", "--in", "1", "--plan")
	require.Equal(t, 0, got.code, got.err)
	golden(t, "vnf-plan", got.out)
	got = windlass(t, changing(), "op", "plan", opID)
	require.Equal(t, 0, got.code, got.err)
	golden(t, "op-plan", got.out)
	assert.JSONEq(t, scalePlan+"}", windlass(t, changing(), "op", "plan", opID, "--json").out)

	api := changing()
	planPath := "POST /windlass/v1/vnf_instances/" + vnfID + "/plan"
	for vim, want := range map[string]string{
		`{"problems":[]}`: `VIM says +it has everything for this plan\n`,
		`{"problems":["No network n.","No room."],"unasked":"No images."}`: `VIM says +No network n\.\n` +
			`VIM says +No room\.\nVIM was not asked +No images\.\n`,
	} {
		api.answers[planPath] = ok(200, scalePlan+scaleQuota+`,"vim":`+vim+`}`)
		got := windlass(t, api, "vnf", "terminate", vnfID, "--plan")
		assert.Regexp(t, want, got.out)
		assert.Equal(t, strings.Contains(vim, "No room"), got.code == 1, "a script learns that the VIM refuses")
		assert.Equal(t, got.code == 1, strings.Contains(got.err, "The VIM refuses this plan"))
	}
	api.answers[planPath] = problem(http.StatusConflict,
		`{"status":409,"detail":"Etcd has no quorum."}`)
	got = windlass(t, api, "vnf", "terminate", vnfID, "--plan")
	assert.Equal(t, result{1, "", "windlass: Etcd has no quorum.\n"}, got)
	assert.JSONEq(t, `{"operation":"TERMINATE","request":{"terminationType":"FORCEFUL"},"askVim":true}`, api.last("POST").body)
}

func TestChanges_wantToBeToldWhatToDo(t *testing.T) {
	for args, want := range map[string]string{
		"scale --out 1":                         "--aspect is missing.",
		"scale --aspect w":                      "Give either --out or --in.",
		"scale --aspect w --out 1 --in 1":       "Give either --out or --in.",
		"scale --aspect w --in 0":               "The number of steps must be 1 or more.",
		"scale --aspect w --out -2":             "The number of steps must be 1 or more.",
		"scale-to-level":                        "Give either --level or --aspect.",
		"scale-to-level --level l --aspect a=1": "Give either --level or --aspect.",
		"heal": "Name the VNFCs to heal with --vnfc. Without --vnfc Windlass makes the entire VNF " +
			"anew: say --all if that is meant.",
		"heal --all --vnfc a": "Give either --vnfc or --all.",
	} {
		words := strings.Fields(args)
		api := changing()
		got := windlass(t, api, append([]string{"vnf", words[0], vnfID}, words[1:]...)...)
		assert.Equal(t, result{exitUsage, "", "windlass: " + want + " See 'windlass vnf " + words[0] + " --help'\n"}, got)
		assert.Empty(t, api.got)
	}
}
