package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestSkeleton_showsExtensionsAndConfigurableProperties(t *testing.T) {
	v := &descriptor.Vnfd{
		Flavours:               []descriptor.Flavour{{ID: "simple"}},
		Extensions:             map[string]any{"logLevel": "info", "undeclared": map[string]any{"a": 1}},
		ConfigurableProperties: map[string]any{"retries": 3},
		Declared: descriptor.Declared{
			Extensions: map[string]descriptor.Member{
				"logLevel": {Type: descriptor.TypeString, Required: true, ValidValues: []any{"info", "debug"}},
				"site":     {Type: descriptor.TypeString, Required: true},
				"peers":    {Type: descriptor.TypeList},
			},
			ConfigurableProperties: map[string]descriptor.Member{
				"retries": {Type: descriptor.TypeInteger},
				"proxy":   {Type: descriptor.TypeObject, Members: map[string]descriptor.Member{"host": {}, "port": {}}},
			},
		},
	}
	got := requestSkeleton(v, &v.Flavours[0], nil, 2)
	const note = "# The VNF begins with the values of the VNFD; values here replace them.\n"
	assert.Contains(t, got, note+"extensions:\n"+
		"  # logLevel: \"info\" # text; required; one of \"info\", \"debug\"\n"+
		"  # peers: [] # list\n"+
		"  site: \"REPLACE-WITH-THE-SITE\" # text; required\n"+
		"  # undeclared: {\"a\":1} # any\n"+
		note+"# vnfConfigurableProperties:\n"+
		"  # proxy: {} # object; with host, port\n"+
		"  # retries: 3 # whole number\n")
	for _, text := range []string{got, uncommented(got)} {
		_, err := requestJSON("-", []byte(text))
		require.NoError(t, err, text)
	}
	doc, err := requestJSON("-", []byte(uncommented(got)))
	require.NoError(t, err)
	var request struct {
		Extensions map[string]any `json:"extensions"`
		Properties map[string]any `json:"vnfConfigurableProperties"`
	}
	require.NoError(t, json.Unmarshal(doc, &request))
	assert.Equal(t, "info", request.Extensions["logLevel"])
	assert.EqualValues(t, 3, request.Properties["retries"])

	assert.False(t, strings.Contains(requestSkeleton(v, &v.Flavours[0], nil, 1), "extensions"), "version 1 has none")
	none := &descriptor.Vnfd{Flavours: v.Flavours}
	assert.NotContains(t, requestSkeleton(none, &none.Flavours[0], nil, 2), "extensions")
}
