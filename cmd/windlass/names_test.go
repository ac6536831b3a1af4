package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNames_andBeginningsOfIDsStandForIDs(t *testing.T) {
	for _, word := range []string{"edge-1", "1f9d", vnfID} {
		got := windlass(t, resources(), "vnf", "show", word, "-o", "name")
		assert.Equal(t, result{0, vnfID + "\n", ""}, got)
	}
	for _, word := range []string{"6F0A", "edge-1", opID} { // the name of an instance means its last operation
		assert.Equal(t, result{0, opID + "\n", ""}, windlass(t, resources(), "op", "show", word, "-o", "name"))
	}
	for _, word := range []string{"k8s-ha-1.0", "k8s-ha", "k8s-ha 1.0", "k8s-ha:1.0", "52a2"} {
		got := windlass(t, resources(), "package", "show", word, "-o", "name")
		assert.Equal(t, result{0, "52a2f1f4\n", ""}, got)
	}
	const vnfd = "ee1f8f34-7c92-4023-840d-6f3b6885d92e" // most ids of VNFDs have the same form as an id of a package
	api := resources()
	api.answers["GET /vnfpkgm/v1/vnf_packages"] = ok(200, `[{"id":"52a2f1f4","vnfdId":"`+vnfd+`"}]`)
	assert.Equal(t, result{0, "52a2f1f4\n", ""}, windlass(t, api, "package", "show", vnfd, "-o", "name"))
	assert.Equal(t, "windlass: There is no VNF instance \"edge-2\"; 'windlass vnf list' shows them all.\n",
		windlass(t, resources(), "vnf", "show", "edge-2").err)
}

// TestNames_takeWhatTheNameFormatPrints checks that TYPE/ID and TYPE/NAME stand for the id, in arguments and in flags.
func TestNames_takeWhatTheNameFormatPrints(t *testing.T) {
	for _, args := range [][]string{
		{"vnf", "show", "vnf/" + vnfID},
		{"vnf", "show", "vnf/edge-1"},
		{"vnf", "terminate", "vnf/" + vnfID},
		{"op", "show", "op/" + opID},
		{"op", "retry", "op/" + opID},
		{"op", "list", "--vnf", "vnf/" + vnfID},
		{"package", "show", "package/52a2f1f4"},
		{"vnf", "create", "package/52a2f1f4"},
		{"vim", "show", "vim/7d1c"},
		{"vim", "delete", "vim/north"},
	} {
		got := windlass(t, resources(), args...)
		assert.Zero(t, got.code, "%v: %s", args, got.err)
	}
	for _, list := range [][]string{{"vnf", "list"}, {"op", "list"}, {"package", "list"}, {"vim", "list"}} {
		name := strings.TrimSpace(windlass(t, resources(), list[0], list[1], "-o", "name").out)
		assert.Zero(t, windlass(t, resources(), list[0], "show", name).code, name)
	}
	got := windlass(t, resources(), "op", "logs", "vnf/"+vnfID)
	assert.Equal(t, result{1, "", "windlass: \"vnf/" + vnfID + "\" is the id of another kind of resource (VNF instance), and this command " +
		"takes the id or the name of a resource of the kind operation; 'windlass op list' shows them all.\n"}, got)

	api := resources()
	api.answers["GET /vnflcm/v1/vnf_instances"] = ok(200, `[{"id":"1f9d-a","vnfInstanceName":"site/1"}]`)
	api.answers["GET /vnflcm/v1/vnf_instances/1f9d-a"] = ok(200, vnf)
	assert.Zero(t, windlass(t, api, "vnf", "show", "site/1").code, "a name may contain a slash")
}

func TestNames_thatAreNotUniqueAreRefusedWithThoseThereAre(t *testing.T) {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_instances"] = ok(200, `[{"id":"1f9d-a","vnfInstanceName":"edge","instantiationState":"X"},
		{"id":"1f9d-b","vnfInstanceName":"edge","instantiationState":"Y"}]`)
	for _, word := range []string{"edge", "1f9d"} {
		got := windlass(t, api, "vnf", "delete", word)
		assert.Equal(t, 1, got.code)
		assert.Contains(t, got.err, "may be any of 2; give more of the id:\n  1f9d-a  edge  X\n  1f9d-b  edge  Y")
		assert.Empty(t, api.last(http.MethodDelete))
	}
}

func TestVnfCreate_takesAProductAndItsVersion(t *testing.T) {
	for _, word := range []string{"k8s-ha", "k8s-ha:1.0", "k8s-ha-1.0", "Windlass k8s-ha 1.0", "52a2f1f4"} {
		api := resources()
		require.Zero(t, windlass(t, api, "vnf", "create", word).code)
		assert.JSONEq(t, `{"vnfdId":"k8s-ha-1.0"}`, api.last("POST").body)
	}
	api := resources()
	got := windlass(t, api, "vnf", "create", "other")
	assert.Equal(t, result{1, "", "windlass: No package on board has the VNFD or the product \"other\"; 'windlass package list' " +
		"shows them all.\n"}, got)
	assert.Empty(t, api.last("POST"))
	const unknown = "ee1f8f34-7c92-4023-840d-6f3b6885d92e" // the API refuses it
	windlass(t, api, "vnf", "create", unknown)
	assert.JSONEq(t, `{"vnfdId":"`+unknown+`"}`, api.last("POST").body)

	api = resources()
	api.answers["GET /vnfpkgm/v1/vnf_packages"] = ok(200, `[
		{"id":"a","vnfdId":"a-1","vnfProductName":"web","vnfSoftwareVersion":"1.0"},
		{"id":"b","vnfdId":"b-2","vnfProductName":"web","vnfSoftwareVersion":"2.0"}]`)
	got = windlass(t, api, "vnf", "create", "web")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "\"web\" may be any of 2 packages; give the version, too, or the VNFD:\n  a-1  web 1.0\n  b-2  web 2.0")
	assert.Empty(t, api.last("POST"))
}

func TestFormats_chooseOfWhatTheAPIAnswers(t *testing.T) {
	for want, args := range map[string][]string{
		"vnf/" + vnfID + "\n":    {"vnf", "list", "-o", "name"},
		"edge-1\n":               {"vnf", "list", "-o", "jsonpath={.items[*].vnfInstanceName}"},
		"edge-1 INSTANTIATED\n":  {"vnf", "show", vnfID, "-o", "go-template={{.vnfInstanceName}} {{.instantiationState}}"},
		"north\n":                {"vnf", "show", vnfID, "-o", "jsonpath=.metadata.site"},
		"http://cloud:5000/v3\n": {"vim", "list", "-o", "jsonpath={.items[?(@.name=='north')].auth_url}"},
	} {
		assert.Equal(t, result{0, want, ""}, windlass(t, resources(), args...))
	}
	for _, format := range []string{"jsonpath", "jsonpath={", "go-template={{", "xml", "xml=x"} {
		assert.Equal(t, exitUsage, windlass(t, resources(), "vnf", "list", "-o", format).code, format)
	}
	got := windlass(t, resources(), "vnf", "list", "-o", "wide", "--no-headers")
	assert.NotContains(t, got.out, "NAME")
	assert.Contains(t, got.out, "k8s-ha-1.0")
	assert.Equal(t, exitUsage, windlass(t, resources(), "vnf", "list", "-o", "json", "-w").code)
}

func TestSortBy_takesColumnsAndAttributes(t *testing.T) {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_instances"] = ok(200, `[{"id":"a","vnfInstanceName":"z","x":{"y":10}},
		{"id":"b","vnfInstanceName":"y","x":{"y":9}},{"id":"c","vnfInstanceName":"x"}]`)
	api.answers["GET /windlass/v1/vnf_instances"] = func(w http.ResponseWriter, r *http.Request) {
		created := map[string]string{"a": "2026-11-21T09:00:00Z", "b": "2026-11-21T08:00:00Z", "c": "2026-11-21T10:00:00Z"}
		id := r.URL.Query().Get("search")
		ok(200, `[{"id":"`+id+`","createdAt":"`+created[id]+`"}]`)(w, r)
	}
	for by, want := range map[string]string{
		"name": "vnf/c\nvnf/b\nvnf/a\n", "-name": "vnf/a\nvnf/b\nvnf/c\n", "vnfInstanceName": "vnf/c\nvnf/b\nvnf/a\n",
		"x.y": "vnf/c\nvnf/b\nvnf/a\n", "age": "vnf/c\nvnf/a\nvnf/b\n", "{.x.y}": "vnf/c\nvnf/b\nvnf/a\n",
	} {
		if by == "x.y" || by == "{.x.y}" { // a missing attribute is a text
			want = "vnf/b\nvnf/a\nvnf/c\n"
		}
		assert.Equal(t, want, windlass(t, api, "vnf", "list", "-o", "name", "--sort-by", by).out, by)
	}
	got := windlass(t, api, "vnf", "list", "--sort-by", "nmae")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.err, `--sort-by: nothing in the list has "nmae". Columns are id, name, product,`)
}

func TestSelector_becomesAFilterOfTheAPI(t *testing.T) {
	for selector, want := range map[string]string{
		"site=north,rack!=7":         "(neq,metadata/rack,7);(eq,metadata/site,north)",
		"site in (a,b)":              "(in,metadata/site,a,b)",
		"example.org/site notin (a)": "(nin,metadata/example.org~1site,a)",
	} {
		got, err := metadataFilter("metadata", selector)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, selector := range []string{"site", "a=b=c", "!site"} {
		for _, of := range []string{"vnf", "package", "op"} {
			assert.Equal(t, exitUsage, windlass(t, resources(), of, "list", "-l", selector).code, selector)
		}
	}
}

func TestOpList_choosesByTheMetadataOfVnfInstances(t *testing.T) {
	api := resources()
	got := windlass(t, api, "op", "list", "-l", "site=north", "--state", "FAILED_TEMP", "-o", "name")
	require.Equal(t, "op/"+opID+"\n", got.out, got.err)
	var asked []string
	for _, r := range api.got {
		path, err := url.QueryUnescape(r.path)
		require.NoError(t, err)
		asked = append(asked, path)
	}
	require.Equal(t, []string{
		"/vnflcm/v1/vnf_instances?filter=(eq,metadata/site,north)&fields=id",
		"/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,operationState,FAILED_TEMP);(in,vnfInstanceId," + vnfID + ")",
	}, asked)
	api.answers["GET /vnflcm/v1/vnf_instances"] = ok(200, "[]")
	require.Equal(t, "[]\n", windlass(t, api, "op", "list", "-l", "site=south", "-o", "json").out, "none of them has operations")
}

func TestLists_areFilteredByTheAPI(t *testing.T) {
	for path, c := range map[string]struct {
		args []string
		want string
	}{
		"/v1.0/vims": {[]string{"vim", "list", "--filter", "(eq,type,kubernetes)"}, "(eq,type,kubernetes)"},
		"/vnfpkgm/v1/vnf_packages": {
			[]string{"package", "list", "-l", "vendor=acme", "--filter", "(eq,usageState,IN_USE)"},
			"(eq,usageState,IN_USE);(eq,userDefinedData/vendor,acme)",
		},
	} {
		api := resources()
		require.Equal(t, 0, windlass(t, api, c.args...).code, path)
		assert.Equal(t, path+"?filter="+url.QueryEscape(c.want), api.last("GET").path)
	}
}
