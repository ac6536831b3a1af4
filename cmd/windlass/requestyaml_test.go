package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequests_mayBeYAML(t *testing.T) {
	api := resources()
	file := written(t, "request.yaml", `# a comment
flavourId: ha
additionalParams:
  password: 0123  # no number of JSON
  version: 1.34.4
  workers: 3
  quoted: "3"
  on: yes
  ready: true
  empty:
  list: [a, 1, {b: null}]
  text: |
    two
    lines
`)
	got := windlass(t, api, "vnf", "instantiate", vnfID, file)
	require.Zero(t, got.code, got.err)
	assert.JSONEq(t, `{"flavourId":"ha","additionalParams":{"password":"0123","version":"1.34.4","workers":3,"quoted":"3",
		"on":"yes","ready":true,"empty":null,"list":["a",1,{"b":null}],"text":"two\nlines\n"}}`, api.last("POST").body)
}

func TestRequests_tellWhereYAMLIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"a: [1\nb: 2\n":   "is neither JSON nor YAML: line",
		"just text":       "must have an object",
		"- a\n- b\n":      "must have an object",
		"a: 1\na: 2\n":    `line 2 has "a" for the second time`,
		"a: &x 1\nb: *x":  "line 2 has an alias of YAML",
		"a: 1\n---\nb: 2": "more than one document",
	} {
		api := resources()
		got := windlass(t, api, "vnf", "instantiate", vnfID, written(t, "request.yaml", text))
		assert.Equal(t, 1, got.code, text)
		assert.Contains(t, got.err, want, text)
		assert.Contains(t, got.err, "request.yaml", text)
		assert.Empty(t, api.last("POST"))
	}
}
