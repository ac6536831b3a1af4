package apiserver_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/cnf"
)

var (
	// documentedJSON matches JSON in a page: a block of JSON, the body of a curl, a file that a reader writes, members
	// of a body that are indented by four spaces, and members within a sentence.
	documentedJSON = regexp.MustCompile(
		"(?s:```json\n(.*?)```)|(?s: -d '(\\{.*?\\})')|(?s:<< '?END'?\n( *\\{.*?\n) *END\n)" +
			"|(?m:^((?: {4}[\"{].*\n)(?: {4}.*\n)*))|(?s:`(\\{\"[^`]*\\})`)|(?:`(\"[a-z][a-zA-Z_-]*\": [^`\n]*)`)",
	)
	toReplace = regexp.MustCompile(`"(REPLACE-[A-Z-]*|\.\.\.|\$PASSWORD)"`)
	// variables are the variables of the shell in the bodies, with values that a reader may have.
	variables = strings.NewReplacer(
		`"$NFVO"`, `"https://nfvo.example/notifications"`, `"$REGISTRY"`, `"192.168.0.10:5000"`, `"$NETWORK"`, `"net1"`,
		`"${WORKERS%% *}"`, `"3f2a91c0-0d1e-4e0f-8a3f-6f1f2f9d9c11"`,
		`"${CONTROL_PLANES%% *}"`, `"masterNode-34b246cd-1c0e-4b0f-9d1c-0a8e5b1d2f11"`,
	)
)

// bodies returns the JSON texts of a page, in its order. It replaces the placeholders; "..." stands for a secret.
func bodies(t *testing.T, page string) (out []any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../docs/how-to", page))
	require.NoError(t, err)
	replaced := strings.ReplaceAll(string(text), "REPLACE-WITH-THE-ADDRESS-OF-THE-LOAD-BALANCER", "192.0.2.9")
	replaced = variables.Replace(toReplace.ReplaceAllString(replaced, `"`+servertest.Marker+`"`))
	replaced = strings.NewReplacer(`: ...}`, `: "..."}`, `[...]`, `[]`).Replace(replaced)
	replaced = strings.ReplaceAll(replaced, `"-----BEGIN CERTIFICATE-----..."`, strconv.Quote(servertest.SomePEM))
	for _, m := range documentedJSON.FindAllStringSubmatch(replaced, -1) {
		shown := strings.TrimSpace(strings.Join(m[1:], ""))
		if strings.HasPrefix(shown, `"`) {
			shown = "{" + shown + "}"
		}
		var body any
		require.NoError(t, json.Unmarshal([]byte(shown), &body), "%s:\n%s", page, shown)
		out = append(out, body)
	}
	return out
}

// read returns the body as the page shows it.
func (s shownBody) read(t *testing.T) map[string]any {
	t.Helper()
	all := bodies(t, s.page)
	require.Greater(t, len(all), s.nth, s.page)
	require.IsType(t, map[string]any{}, all[s.nth])
	return all[s.nth].(map[string]any)
}

// sampleRequest returns a request of the samples, with an existing secret.
func sampleRequest(t *testing.T, name string) (request map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../vnfpkg/samples/requests/" + name + ".json")
	require.NoError(t, err)
	filled := strings.NewReplacer(
		"REPLACE-WITH-THE-ADDRESS-OF-THE-ANSIBLE-SERVER", "192.0.2.9",
		"REPLACE-WITH-THE-ADDRESS-OF-THE-LOAD-BALANCER", "192.0.2.9",
	).Replace(string(text))
	filled = toReplace.ReplaceAllString(filled, `"`+servertest.Marker+`"`)
	require.NoError(t, json.Unmarshal([]byte(filled), &request))
	return request
}

// put inserts the members of a body into a request, at a path. They replace members of the request with the same names.
func put(request map[string]any, at string, body map[string]any) {
	into := request
	way := steps(at)
	for i := 0; i < len(way); i++ {
		switch next := into[way[i]].(type) {
		case map[string]any:
			into = next
		case []any: // the path has an index into the list
			i++
			n, err := strconv.Atoi(way[i])
			if err != nil {
				panic(err)
			}
			into = next[n].(map[string]any)
		}
	}
	params, _ := into[ofParams].(map[string]any)
	maps.Copy(into, body)
	if own, ok := body[ofParams].(map[string]any); ok && params != nil {
		maps.Copy(params, own)
		into[ofParams] = params
	}
}

// connect replaces the VIMs that a request names by existing ones, by their types.
func connect(connections any, vims map[string]string) {
	switch v := connections.(type) {
	case []any:
		for _, c := range v {
			connect(c, vims)
		}
	case map[string]any:
		if v["vimType"] == nil { // the connections are a map in v2
			for _, c := range v {
				connect(c, vims)
			}
		} else if v["vimId"] != nil {
			v["vimId"] = vims[v["vimType"].(string)]
		}
	}
}

// anyChart returns the chart of the sample for every source.
type anyChart []byte

func (c anyChart) Fetch(context.Context, cnf.Source) ([]byte, error) { return c, nil }

// sampleChart packs the chart of the sample into an archive.
func sampleChart(t *testing.T) anyChart {
	t.Helper()
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	require.NoError(t, w.AddFS(os.DirFS("../vnfpkg/samples/cnf-helm/Files/kubernetes")))
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return archive.Bytes()
}

func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// members returns the paths of all members of a document, and of all items of its lists.
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

// wrong returns a copy of a document with a value of another type at the path.
func wrong(t *testing.T, doc map[string]any, path string) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	way := steps(path)
	var at any = out
	for i, step := range way {
		last := i == len(way)-1
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
