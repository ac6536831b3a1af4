package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	vnfID = "1f9d3a52-0c1e-4f60-8a3f-6f1f2f9d9c11"
	opID  = "6f0ab2d1-93c4-4c86-b0a5-0b9a4f5c8a37"
	vnf   = `{"id":"` + vnfID + `","vnfInstanceName":"edge-1","vnfdId":"k8s-ha-1.0","vnfProvider":"Windlass","vnfProductName":"k8s-ha",
		"vnfSoftwareVersion":"1.0","instantiationState":"INSTANTIATED","metadata":{"site":"north","rack":"7"},
		"instantiatedVnfInfo":{"flavourId":"simple","vnfState":"STARTED","scaleStatus":[{"aspectId":"worker_instance","scaleLevel":1}],
		"vnfcResourceInfo":[{"id":"a","vduId":"masterNode","computeResource":{"resourceId":"0f1e"}}]}}`
	about = `{"id":"` + vnfID + `","createdAt":"2026-11-21T09:00:00Z","lastOperation":{"id":"` + opID + `","operation":"INSTANTIATE",
		"operationState":"FAILED_TEMP","startTime":"2026-11-21T11:50:00Z","stateEnteredTime":"2026-11-21T11:52:30Z"},
		"drift":{"checkedAt":"2026-11-21T11:59:00Z","findings":2}}`
	parts = `{"endpoint":"https://192.0.2.10:16443","parts":[{"name":"cp-1","role":"control-plane","vnfcInstanceId":"a","vduId":"masterNode","address":"192.0.2.11","health":"OK",
		"holdsVirtualIp":true},{"name":"worker-2","role":"worker","vnfcInstanceId":"b","vduId":"workerNode","address":"192.0.2.12",
		"health":"DRIFTED","findings":[{"kind":"NODE_NOT_READY"}]}]}`
	op = `{"id":"` + opID + `","operation":"INSTANTIATE","operationState":"FAILED_TEMP","vnfInstanceId":"` + vnfID + `",
		"startTime":"2026-11-21T11:50:00Z","stateEnteredTime":"2026-11-21T11:52:30Z","isCancelPending":false,
		"error":{"status":500,"detail":"worker-3f2a91c0 does not answer on SSH; start it and retry."}}`
	pkg = `{"id":"52a2f1f4","vnfdId":"k8s-ha-1.0","vnfProvider":"Windlass","vnfProductName":"k8s-ha","vnfSoftwareVersion":"1.0",
		"onboardingState":"ONBOARDED","operationalState":"ENABLED","usageState":"NOT_IN_USE",
		"warnings":[{"path":"Scripts/x.sh","detail":"is named but missing"}],"additionalArtifacts":[{"artifactPath":"a"}]}`
	north = `{"id":"7d1c","name":"north","type":"openstack","auth_url":"http://cloud:5000/v3","is_default":true,"status":"REACHABLE",
		"vim_project":{"name":"nfv"},"extra":{"ssh_port":2222}}`
	steps = `[{"index":0,"title":"Create the infrastructure","phase":"FORWARD","state":"DONE","attempt":1,
		"startedAt":"2026-11-21T11:50:01Z","endedAt":"2026-11-21T11:50:39.4Z"},
		{"index":1,"title":"Wait until every node answers on SSH","phase":"FORWARD","state":"FAILED","attempt":2,
		"startedAt":"2026-11-21T11:50:40Z","endedAt":"2026-11-21T11:52:30Z","error":{"detail":"worker-3f2a91c0 does not answer."}},
		{"index":1,"title":"Wait until every node answers on SSH","phase":"FORWARD","node":"cp-1","state":"DONE","attempt":1,
		"startedAt":"2026-11-21T11:50:40Z","endedAt":"2026-11-21T11:50:41.5Z","lastOutputLine":"up 3 s",
		"decisions":[{"action":"FORCED","detail":"Pods were deleted.","at":"2026-11-21T11:50:41Z"}]},
		{"index":2,"title":"Join the workers","phase":"FORWARD","state":"PENDING","attempt":0}]`
)

func resources() *fakeAPI {
	return &fakeAPI{answers: map[string]http.HandlerFunc{
		"GET /vnflcm/v1/vnf_instances":                          ok(200, "["+vnf+"]"),
		"GET /vnflcm/v2/vnf_instances":                          ok(200, "["+vnf+"]"),
		"GET /vnflcm/v1/vnf_instances/" + vnfID:                 ok(200, vnf),
		"GET /windlass/v1/vnf_instances":                        ok(200, "["+about+"]"),
		"GET /windlass/v1/vnf_instances/" + vnfID + "/topology": ok(200, parts),
		"GET /vnflcm/v1/vnf_lcm_op_occs":                        ok(200, "["+op+"]"),
		"GET /vnflcm/v1/vnf_lcm_op_occs/" + opID:                ok(200, op),
		"GET /windlass/v1/vnf_lcm_op_occs": ok(200, `[{"id":"`+opID+`","step":"Join the workers",
			"vnfInstanceName":"edge-1","operation":"INSTANTIATE","operationState":"FAILED_TEMP"}]`),
		"GET /windlass/v1/vnf_lcm_op_occs/" + opID + "/steps": ok(200, steps),
		"GET /windlass/v1/vnf_lcm_op_occs/" + opID + "/logs":  ok(200, "==> 1. Wait\ncp-1: up 3 s\n"),
		"GET /vnfpkgm/v1/vnf_packages":                        ok(200, "["+pkg+"]"),
		"GET /vnfpkgm/v1/vnf_packages/52a2f1f4":               ok(200, pkg),
		"PATCH /vnfpkgm/v1/vnf_packages/52a2f1f4":             ok(200, `{}`),
		"DELETE /vnfpkgm/v1/vnf_packages/52a2f1f4":            ok(204, ""),
		"GET /v1.0/vims":                ok(200, `{"vims":[`+north+`]}`),
		"POST /v1.0/vims":               ok(201, `{"vim":`+north+`}`),
		"PUT /v1.0/vims/7d1c":           ok(200, `{"vim":`+north+`}`),
		"DELETE /v1.0/vims/7d1c":        ok(204, ""),
		"POST /vnflcm/v1/vnf_instances": ok(201, vnf),
		"POST /vnflcm/v1/vnf_instances/" + vnfID + "/instantiate": accepted("http://api/vnflcm/v1/vnf_lcm_op_occs/" + opID),
		"POST /vnflcm/v1/vnf_instances/" + vnfID + "/terminate":   accepted("http://api/vnflcm/v1/vnf_lcm_op_occs/" + opID),
		"POST /vnflcm/v1/vnf_lcm_op_occs/" + opID + "/cancel":     accepted(""),
		"POST /vnflcm/v1/vnf_lcm_op_occs/" + opID + "/retry":      accepted(""),
		"DELETE /vnflcm/v1/vnf_instances/" + vnfID:                ok(204, ""),
	}}
}

func TestTables(t *testing.T) {
	cases := map[string][]string{
		"vnf-list":     {"vnf", "list"},
		"vnf-show":     {"vnf", "show", vnfID},
		"op-list":      {"op", "list"},
		"op-show":      {"op", "show", opID},
		"op-steps":     {"op", "steps", opID},
		"op-logs":      {"op", "logs", opID, "--step", "1"},
		"package-list": {"package", "list"},
		"package-show": {"package", "show", "52a2f1f4"},
		"vim-list":     {"vim", "list"},
		"vim-show":     {"vim", "show", "north"},
	}
	for name, args := range cases {
		t.Run(name, func(t *testing.T) {
			got := windlass(t, resources(), args...)
			require.Equal(t, 0, got.code, got.err)
			golden(t, name, got.out)
		})
	}
}

func TestList_readsEveryPage(t *testing.T) {
	api := &fakeAPI{}
	api.answers = map[string]http.HandlerFunc{
		"GET /vnflcm/v1/vnf_instances": func(w http.ResponseWriter, r *http.Request) {
			page := `[{"id":"second"}]`
			if r.URL.Query().Get("nextpage_opaque_marker") == "" {
				page = `[{"id":"first"}]`
				w.Header().Set("Link", fmt.Sprintf(`<http://%s/vnflcm/v1/vnf_instances?nextpage_opaque_marker=x>; rel="next"`,
					r.Host))
			}
			ok(200, page)(w, r)
		},
	}
	got := windlass(t, api, "vnf", "list", "--json")
	assert.JSONEq(t, `[{"id":"first"},{"id":"second"}]`, got.out)
}

func TestOpList_filtersAtTheServer(t *testing.T) {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_lcm_op_occs"] = ok(200, "[]") // of no operation is there a step to ask for
	windlass(t, api, "op", "list", "--state", "failed_temp", "--vnf", vnfID)
	assert.Equal(t, "/vnflcm/v1/vnf_lcm_op_occs?filter=%28eq%2CvnfInstanceId%2C"+vnfID+"%29%3B%28eq%2CoperationState%2CFAILED_TEMP%29",
		api.last("GET").path)
}

func TestVnfCreate_sendsWhatTheFlagsSay(t *testing.T) {
	api := resources()
	got := windlass(t, api, "vnf", "create", "k8s-ha-1.0", "--name", "edge-1", "--metadata", "site=north,rack=7")
	require.Equal(t, 0, got.code, got.err)
	assert.JSONEq(t, `{"vnfdId":"k8s-ha-1.0","vnfInstanceName":"edge-1","metadata":{"site":"north","rack":"7"}}`,
		api.last("POST").body)
	assert.Equal(t, "1.3.0", api.last("POST").version)
}

func TestLcmVersion_2UsesTheOtherRootAndHeader(t *testing.T) {
	api := resources()
	windlass(t, api, "vnf", "list", "--lcm-version", "2", "-o", "json")
	assert.Equal(t, "/vnflcm/v2/vnf_instances", api.last("GET").path)
	assert.Equal(t, "2.0.0", api.last("GET").version)
}

func TestVnfInstantiate_sendsTheFileAndNamesTheOperation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "request.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"flavourId":"simple"}`), 0o600))
	api := resources()
	got := windlass(t, api, "vnf", "instantiate", vnfID, file)
	assert.Equal(t, "Operation "+opID+" has begun. Follow it with: windlass op watch "+opID+"\n", got.out)
	assert.JSONEq(t, `{"flavourId":"simple"}`, api.last("POST").body)
}

func TestVnfInstantiate_refusesAFileThatIsNotJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "request.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"flavourId":`), 0o600))
	api := resources()
	got := windlass(t, api, "vnf", "instantiate", vnfID, file)
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "windlass: The file "+file+" is not JSON: line 1, column 13: unexpected end of JSON input.")
	assert.Empty(t, api.last("POST"))
}

func TestVnfTerminate_isForcefulUnlessATimeIsGiven(t *testing.T) {
	api := resources()
	windlass(t, api, "vnf", "terminate", vnfID)
	assert.JSONEq(t, `{"terminationType":"FORCEFUL"}`, api.last("POST").body)
	windlass(t, api, "vnf", "terminate", vnfID, "--graceful", "30")
	assert.JSONEq(t, `{"terminationType":"GRACEFUL","gracefulTerminationTimeout":30}`, api.last("POST").body)
	windlass(t, api, "vnf", "terminate", vnfID, "--terminate-vnfs")
	assert.JSONEq(t, `{"terminationType":"FORCEFUL","additionalParams":{"terminate_vnfs":true}}`, api.last("POST").body)
}

func TestDelete_confirmsEachOne(t *testing.T) {
	assert.Equal(t, "VNF instance "+vnfID+" is deleted.\n", windlass(t, resources(), "vnf", "delete", vnfID).out)
	assert.Equal(t, "VIM north is deleted.\n", windlass(t, resources(), "vim", "delete", "north").out)
	assert.Equal(t, "windlass: There is no VIM \"south\"; 'windlass vim list' shows them all.\n",
		windlass(t, resources(), "vim", "delete", "south").err)
}

func TestPackageDelete_disablesFirst(t *testing.T) {
	api := resources()
	got := windlass(t, api, "package", "delete", "52a2f1f4")
	assert.Equal(t, "Package 52a2f1f4 is deleted.\n", got.out)
	assert.JSONEq(t, `{"operationalState":"DISABLED"}`, api.last("PATCH").body)
}

func TestPackageEnable_changesWhatIsNotSoYet(t *testing.T) {
	api := resources()
	got := windlass(t, api, "package", "disable", "52a2f1f4")
	assert.Equal(t, result{0, "Package 52a2f1f4 is disabled.\n", ""}, got)
	assert.JSONEq(t, `{"operationalState":"DISABLED"}`, api.last("PATCH").body)
	api = resources()
	assert.Equal(t, result{0, "Package 52a2f1f4 is enabled.\n", ""}, windlass(t, api, "package", "enable", "52a2f1f4"))
	assert.Empty(t, api.last("PATCH"), "it is already")
	assert.Equal(t, 1, windlass(t, api, "package", "enable", "absent").code)
	assert.Equal(t, exitUsage, windlass(t, api, "package", "enable").code)
}

func TestPackageUpload_hasTheArchiveFetched(t *testing.T) {
	const path = "/vnfpkgm/v1/vnf_packages/52a2f1f4"
	fetched := func() *fakeAPI {
		api := resources()
		api.answers["POST /vnfpkgm/v1/vnf_packages"] = ok(201, pkg)
		api.answers["POST "+path+"/package_content/upload_from_uri"] = accepted("")
		return api
	}
	api := fetched()
	got := windlass(t, api, "package", "upload", "52a2f1f4", "--uri", "https://repo.example/k8s-ha.zip")
	require.Equal(t, 0, got.code, got.err)
	assert.Contains(t, got.out, "ONBOARDED")
	assert.Equal(t, path+"/package_content/upload_from_uri", api.last("POST").path)
	assert.JSONEq(t, `{"addressInformation":"https://repo.example/k8s-ha.zip"}`, api.last("POST").body)

	t.Setenv("WINDLASS_PACKAGE_PASSWORD", "of the environment")
	file := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(file, []byte("of the file\n"), 0o600))
	for password, args := range map[string][]string{"of the environment": nil, "of the file": {"--password-file", file}} {
		api = fetched()
		got = windlass(t, api, append([]string{
			"package", "create", "--uri", "https://repo.example/k8s-ha.zip", "--user",
			"nfv",
		}, args...)...)
		require.Equal(t, 0, got.code, got.err)
		assert.JSONEq(t, `{"addressInformation":"https://repo.example/k8s-ha.zip","userName":"nfv","password":"`+password+`"}`, api.last("POST").body)
		assert.NotContains(t, got.out+got.err, password)
	}
}

func TestPackageCreate_deletesWhatCannotBeFetched(t *testing.T) {
	api := resources()
	api.answers["POST /vnfpkgm/v1/vnf_packages"] = ok(201, pkg)
	api.answers["POST /vnfpkgm/v1/vnf_packages/52a2f1f4/package_content/upload_from_uri"] = accepted("")
	api.answers["GET /vnfpkgm/v1/vnf_packages/52a2f1f4"] = ok(200,
		`{"id":"52a2f1f4","onboardingState":"CREATED","onboardingFailureDetails":{"status":502,"detail":"The source answers 404 Not Found."}}`)
	got := windlass(t, api, "package", "create", "--uri", "https://repo.example/k8s-ha.zip")
	assert.Equal(t, result{1, "", "Windlass fetches the package from https://repo.example/k8s-ha.zip.\n" +
		"windlass: The source answers 404 Not Found.\n"}, got)
	assert.Equal(t, "/vnfpkgm/v1/vnf_packages/52a2f1f4", api.last("DELETE").path)
}

func TestPackageUpload_wantsAFileOrAURI(t *testing.T) {
	t.Setenv("WINDLASS_PACKAGE_PASSWORD", "")
	for want, args := range map[string][]string{
		"FILE is missing.":                     {"upload", "52a2f1f4"},
		"ID is missing.":                       {"upload", "--uri", "https://repo.example/a.zip"},
		"Give either FILE or --uri.":           {"upload", "52a2f1f4", "a.zip", "--uri", "https://repo.example/a.zip"},
		"Give either FILE or DIR or --uri.":    {"create", "a.zip", "--uri", "https://repo.example/a.zip"},
		"FILE or DIR is missing.":              {"create"},
		"--user and --password-file are for":   {"create", "a.zip", "--user", "nfv"},
		"--user needs a password, in WINDLASS": {"create", "--uri", "https://repo.example/a.zip", "--user", "nfv"},
	} {
		got := windlass(t, resources(), append([]string{"package"}, args...)...)
		assert.Equal(t, exitUsage, got.code, want)
		assert.Contains(t, got.err, want)
	}
}

func TestOpCancel_sendsTheMode(t *testing.T) {
	api := resources()
	got := windlass(t, api, "op", "cancel", opID, "--mode", "forceful")
	assert.Equal(t, "Operation "+opID+" is being cancelled (FORCEFUL).\n", got.out)
	assert.JSONEq(t, `{"cancelMode":"FORCEFUL"}`, api.last("POST").body)
}

func TestVimRegister_sendsTackersFileAsTheRegistryTakesIt(t *testing.T) {
	const config = "auth_url: http://cloud:5000/v3\nusername: nfv_user\npassword: s3cret\nproject_name: " +
		"nfv\nproject_domain_name: Default\n" +
		"user_domain_name: Default\nextra: {ssh_port: 2222}\n"
	file := filepath.Join(t.TempDir(), "vim.yaml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	api := resources()
	got := windlass(t, api, "vim", "register", "north", "--config", file, "--default")
	require.Equal(t, 0, got.code, got.err)
	assert.JSONEq(t, `{"vim":{"name":"north","description":"","is_default":true,"type":"openstack","auth_url":"http://cloud:5000/v3",
		"auth_cred":{"username":"nfv_user","password":"s3cret","user_domain_name":"Default"},
		"vim_project":{"name":"nfv","project_domain_name":"Default"},"extra":{"ssh_port":2222}}}`, api.last("POST").body)
	assert.NotContains(t, got.out, "s3cret")
}

// TestVimRegister_passesOverWhatTackersClientPassesOver uses the keys of Tacker's local-vim.yaml.
func TestVimRegister_passesOverWhatTackersClientPassesOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vim.yaml")
	require.NoError(t, os.WriteFile(file, []byte("auth_url: http://127.0.0.1/identity\nusername: u\npassword: s3cret\n"+
		"project_name: nfv\ndomain_name: Default\nuser_domain_name: Default\nproject_domain_name: Default\n"+
		"cert_verify: 'False'\n"), 0o600))
	api := resources()
	got := windlass(t, api, "vim", "register", "north", "--config", file)
	require.Equal(t, 0, got.code, got.err)
	assert.JSONEq(t, `{"vim":{"name":"north","description":"","is_default":false,"type":"openstack",
		"auth_url":"http://127.0.0.1/identity","auth_cred":{"username":"u","password":"s3cret","user_domain_name":"Default",
		"cert_verify":"False"},"vim_project":{"name":"nfv","project_domain_name":"Default"}}}`, api.last("POST").body)
	assert.Contains(t, got.err, file+": line 5: domain_name has no effect")
}

func TestVimRegister_doesNotShowThePasswordOfAFileItCannotRead(t *testing.T) {
	for text, want := range map[string]string{
		"auth_url: x\npassword: s3cret: more\n  - x\n": " is not YAML: line 2: mapping values are not allowed in this context.\n",
		"auth_url: x\npassword: *s3cret\n":             " is not YAML: a value begins with *; put it in quotes.\n",
		"auth_url: x\npassword: a\npassword: s3cret\n": " has mistakes:\n  line 3: password is in line 2 already\n",
		"- auth_url: x\n- password: s3cret\n":          ": the file must have lines such as auth_url: http://cloud:5000/v3.\n",
	} {
		file := filepath.Join(t.TempDir(), "vim.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		got := windlass(t, resources(), "vim", "register", "north", "--config", file)
		assert.Equal(t, 1, got.code)
		assert.Contains(t, got.err, file+want)
		assert.NotContains(t, got.err, "s3cret")
	}
}

func TestVnfModify_sendsAMergePatch(t *testing.T) {
	api := resources()
	api.answers["PATCH /vnflcm/v1/vnf_instances/"+vnfID] = accepted("http://api/vnflcm/v1/vnf_lcm_op_occs/" + opID)
	got := windlass(t, api, "vnf", "modify", vnfID, "--name", "edge-2", "--description", "", "--metadata",
		"site=north,rack=")
	require.Equal(t, 0, got.code, got.err)
	assert.JSONEq(t, `{"vnfInstanceName":"edge-2","vnfInstanceDescription":null,"metadata":{"site":"north","rack":null}}`,
		api.last("PATCH").body)
	file := filepath.Join(t.TempDir(), "patch.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"extensions":{"a":null}}`), 0o600))
	got = windlass(t, api, "vnf", "modify", vnfID, "--patch", file, "--name", "edge-3")
	require.Equal(t, 0, got.code, got.err)
	assert.JSONEq(t, `{"extensions":{"a":null},"vnfInstanceName":"edge-3"}`, api.last("PATCH").body)
	assert.Equal(t, exitUsage, windlass(t, api, "vnf", "modify", vnfID).code)
}

func TestVnfOperate_wantsOneDirection(t *testing.T) {
	for _, args := range [][]string{{}, {"--start", "--stop"}, {"--start", "--graceful", "5"}} {
		assert.Equal(t, exitUsage, windlass(t, resources(), append([]string{"vnf", "operate", vnfID}, args...)...).code, args)
	}
}

func TestVimRegister_takesAKubeconfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte("current-context: edge"), 0o600))
	api := resources()
	api.answers["POST /v1.0/vims"] = ok(201, `{"vim":{"id":"7d1c","type":"kubernetes","status":"UNREACHABLE",
		"status_reason":"It does not answer.","placement_attr":{"version":"v1.34.1"},"warnings":["No right to get pods."]}}`)
	got := windlass(t, api, "vim", "register", "edge", "--kubeconfig", file)
	require.Equal(t, 0, got.code, got.err)
	require.JSONEq(t, `{"vim":{"type":"kubernetes","name":"edge","description":"","is_default":false,
		"auth_cred":{"kubeconfig":"current-context: edge"}}}`, api.last("POST").body)
	for _, shown := range []string{"It does not answer.", "v1.34.1", "No right to get pods."} {
		require.Contains(t, got.out, shown)
	}
	for _, args := range [][]string{{}, {"--kubeconfig", file, "--config", file}} {
		got := windlass(t, resources(), append([]string{"vim", "register", "edge"}, args...)...)
		require.Equal(t, exitUsage, got.code)
		require.Contains(t, got.err, "--config")
	}
}

func TestVimUpdate_sendsWhatIsToChange(t *testing.T) {
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "vim.yaml")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	for _, c := range []struct {
		args []string
		body string
	}{
		{[]string{"--config", file("password: new")}, `{"vim":{"auth_cred":{"password":"new"}}}`},
		{
			[]string{"--config", file("type: openstack\nauth_url: http://cloud:5000/v3\nusername: u\nproject_name: p\nextra: " +
				"{region: north}")},
			`{"vim":{"auth_cred":{"username":"u"},"vim_project":{"name":"p"},"extra":{"region":"north"}}}`,
		},
		{
			[]string{"--name", "south", "--description", "", "--default=false"},
			`{"vim":{"name":"south","description":"","is_default":false}}`,
		},
		{[]string{"--default"}, `{"vim":{"is_default":true}}`},
	} {
		api := resources()
		got := windlass(t, api, append([]string{"vim", "update", "north"}, c.args...)...)
		require.Equal(t, 0, got.code, got.err)
		require.Equal(t, "/v1.0/vims/7d1c", api.last("PUT").path)
		require.JSONEq(t, c.body, api.last("PUT").body)
		require.Contains(t, got.out, "http://cloud:5000/v3")
	}
	for want, args := range map[string][]string{
		"There is nothing to change":    {"north"},
		"You cannot change the address": {"north", "--config", file("auth_url: http://other:5000/v3")},
		`There is no VIM "elsewhere"`:   {"elsewhere", "--name", "x"},
	} {
		got := windlass(t, resources(), append([]string{"vim", "update"}, args...)...)
		require.NotZero(t, got.code)
		require.Contains(t, got.err, want)
	}
}

func TestVnfChangeExtConn_postsTheRequest(t *testing.T) {
	const request = `{"extVirtualLinks":[{"id":"l","resourceId":"n","extCps":[]}]}`
	file := filepath.Join(t.TempDir(), "links.json")
	require.NoError(t, os.WriteFile(file, []byte(request), 0o600))
	api := resources()
	path := "/vnflcm/v1/vnf_instances/" + vnfID + "/change_ext_conn"
	api.answers["POST "+path] = accepted("http://api/vnflcm/v1/vnf_lcm_op_occs/" + opID)
	got := windlass(t, api, "vnf", "change-ext-conn", vnfID, file)
	require.Equal(t, 0, got.code, got.err)
	require.Equal(t, path, api.last("POST").path)
	require.JSONEq(t, request, api.last("POST").body)
	require.Contains(t, got.out, opID)

	plan := "/windlass/v1/vnf_instances/" + vnfID + "/plan"
	api.answers["POST "+plan] = ok(200,
		`{"operation":"CHANGE_EXT_CONN","changedLinks":["l"],"instancesToAdd":0,"instancesToRemove":0}`)
	got = windlass(t, api, "vnf", "change-ext-conn", vnfID, file, "--plan", "-o", "json")
	require.Equal(t, 0, got.code, got.err)
	require.JSONEq(t, `{"askVim":true,"operation":"CHANGE_EXT_CONN","request":`+request+`}`, api.last("POST").body)
}
