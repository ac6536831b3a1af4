package apitest

import (
	"maps"
	"strconv"
	"strings"
)

// forgiven are requests that Windlass accepts although the standard defines them differently. Each entry converts such
// a request into the standard's form.
var forgiven = []struct {
	path, why string
	mend      func(request map[string]any)
}{
	{"", "a merge patch takes away by null, and its entries need not be whole", func(request map[string]any) {
		for name, value := range request {
			if value == nil {
				delete(request, name)
			}
		}
		connections, _ := request["vimConnectionInfo"].(map[string]any)
		for id, c := range connections {
			if connection, ok := c.(map[string]any); !ok {
				delete(connections, id)
			} else if connection["vimType"] == nil {
				connection["vimType"] = "openstack"
			}
		}
	}},
	{
		"/change_ext_conn", "the text of ETSI's file has null for entries of cpConfig, and its type does not",
		func(request map[string]any) {
			links, _ := request["extVirtualLinks"].([]any)
			for _, l := range links {
				link, _ := l.(map[string]any)
				cps, _ := link["extCps"].([]any)
				for _, c := range cps {
					cp, _ := c.(map[string]any)
					configs, _ := cp["cpConfig"].(map[string]any)
					maps.DeleteFunc(configs, func(_ string, entry any) bool { return entry == nil })
				}
			}
		},
	},
	{"/scale", "Tacker's guides write numberOfSteps in quotes", func(request map[string]any) {
		if text, ok := request["numberOfSteps"].(string); ok {
			request["numberOfSteps"], _ = strconv.ParseFloat(text, 64) // the result 0 is invalid, too
		}
	}},
	{"", "Tacker's clients of v1 leave vimType out", func(request map[string]any) {
		connections, _ := request["vimConnectionInfo"].([]any)
		for _, c := range connections {
			if connection, ok := c.(map[string]any); ok && connection["vimType"] == nil {
				connection["vimType"] = "openstack"
			}
		}
	}},
	{
		"/subscriptions", "Tacker's requests have versions as numbers",
		func(request map[string]any) { asTexts(request, false) },
	},
}

// asTexts converts the numbers below members for versions into strings.
func asTexts(v any, version bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = asTexts(v[name], name == "vnfSoftwareVersion" || name == "vnfdVersions")
		}
	case []any:
		for i := range v {
			v[i] = asTexts(v[i], version)
		}
	case float64:
		if version {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return v
}

func forgive(path string, request map[string]any) {
	for _, f := range forgiven {
		if strings.HasSuffix(path, f.path) {
			f.mend(request)
		}
	}
}
