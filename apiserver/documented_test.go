package apiserver

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

var (
	documentedJSON = regexp.MustCompile("(?s)```json\n(.*?)```")
	toReplace      = regexp.MustCompile(`"(REPLACE-[A-Z-]*|\.\.\.)"`)
)

// documented are the bodies of requests in a how-to page, in its order. What a reader has to replace is replaced; "..."
// stands for a secret.
func documented(t *testing.T, page string) (out []map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../docs/how-to/" + page)
	require.NoError(t, err)
	replaced := toReplace.ReplaceAllString(string(text), `"`+marker+`"`)
	replaced = strings.ReplaceAll(replaced, `"-----BEGIN CERTIFICATE-----..."`, strconv.Quote(somePEM))
	for _, m := range documentedJSON.FindAllStringSubmatch(replaced, -1) {
		var body map[string]any
		require.NoError(t, json.Unmarshal([]byte(m[1]), &body), m[1])
		out = append(out, body)
	}
	return out
}

// sampleRequest is a request of the samples, with a VIM and a secret that there are.
func sampleRequest(t *testing.T, name, vim string) (request map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../vnfpkg/samples/requests/" + name + ".json")
	require.NoError(t, err)
	filled := strings.ReplaceAll(string(text), "REPLACE-WITH-THE-ID-OF-THE-VIM", vim)
	filled = strings.ReplaceAll(filled, "REPLACE-WITH-THE-ADDRESS-OF-THE-ANSIBLE-SERVER", "192.0.2.9")
	filled = toReplace.ReplaceAllString(filled, `"`+marker+`"`)
	require.NoError(t, json.Unmarshal([]byte(filled), &request))
	return request
}

// documentedBodies are the bodies in how-to pages that no other test sends: the page and the place in it, and the
// package and the request of the samples that the body is a part of.
var documentedBodies = map[string]struct {
	page         string
	nth          int
	pkg, request string
	root         string
}{
	"playbooks": {"ansible.md", 0, "../vnfpkg/samples/ansible", "instantiate-ansible", "/vnflcm/v1"},
	"scripts":   {"scripts.md", 0, "../vnfpkg/samples/scripts", "instantiate-scripts", "/vnflcm/v1"},
	"kubespray": {"kubespray.md", 0, "../vnfpkg/samples/k8s-kubespray", "instantiate-kubespray", "/vnflcm/v1"},
	"a port":    {"connection-points.md", 0, "../tests/e2e/testdata/givenport", "", "/vnflcm/v2"},
	"an OpenStack of the request": {
		"instantiate.md", 1, "../vnfpkg/samples/k8s-ha", "instantiate-ha", "/vnflcm/v1",
	},
	"a Kubernetes of the request": {
		"instantiate.md", 2, "../vnfpkg/samples/cnf-manifests", "instantiate-cnf-manifests", "/vnflcm/v2",
	},
}

// A page's body is taken as it is. With a value of a wrong type in the place of any of its members it is not: so the
// API reads each of them, and none is misspelt.
func TestDocumentedBodies_areReadToTheLastMember(t *testing.T) {
	for name, c := range documentedBodies {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(o *Options) { o.Scripts, o.Ansible, o.Python = lcm.ScriptsRun, true, true })
			vnfd, vim := b.onboardDir(c.pkg), b.registerVim("lab", true)
			request := map[string]any{"flavourId": "simple"}
			if c.request != "" {
				request = sampleRequest(t, c.request, vim)
			}
			if c.root == "/vnflcm/v2" {
				request = asV2(t, request)
			}
			bodies := documented(t, c.page)
			require.Greater(t, len(bodies), c.nth)
			merge(request, bodies[c.nth])
			instance := b.create(c.root, vnfd)
			for _, path := range members("", bodies[c.nth]) {
				a := b.do("POST", instance+"/instantiate", wrong(t, request, path))
				require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.Status,
					"nobody reads %s of %s", path, c.page)
			}
			b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
		})
	}
}

// merge puts a body into a request: its members, and in additionalParams theirs, beside those of the request.
func merge(request, body map[string]any) {
	params, _ := request["additionalParams"].(map[string]any)
	maps.Copy(request, body)
	if own, ok := body["additionalParams"].(map[string]any); ok {
		maps.Copy(params, own)
		request["additionalParams"] = params
	}
}

// members are the paths of all members of a document, and of all items of its lists.
func members(path string, v any) (out []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			out = append(append(out, path+"/"+name), members(path+"/"+name, member)...)
		}
	case []any:
		for i, item := range v {
			at := path + "/" + strconv.Itoa(i)
			out = append(append(out, at), members(at, item)...)
		}
	}
	return out
}

// wrong is a copy of a document with a value of another type at that path.
func wrong(t *testing.T, doc map[string]any, path string) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	steps := strings.Split(path, "/")[1:]
	var at any = out
	for i, step := range steps {
		last := i == len(steps)-1
		switch v := at.(type) {
		case map[string]any:
			if at = v[step]; last {
				v[step] = ofAnotherType(at)
			}
		case []any:
			n, err := strconv.Atoi(step)
			require.NoError(t, err)
			if at = v[n]; last {
				v[n] = ofAnotherType(at)
			}
		}
	}
	return out
}

func ofAnotherType(v any) any {
	switch v.(type) {
	case map[string]any, []any:
		return 7
	}
	return []any{[]any{}}
}
