package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJSON_hasTheMembersThatThePageLists saves the result of a demo that has measured everything.
func TestJSON_hasTheMembersThatThePageLists(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.json")
	d := &demo{options: options{jsonFile: file}}
	d.result = result{Steps: []resultStep{{}}, CNF: &cnfResult{}, Kubespray: &kubesprayResult{}}
	for range 2 {
		require.NoError(t, d.save())
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var written map[string]any
	require.NoError(t, json.Unmarshal(text, &written))
	var names []string
	for name, value := range written {
		members, is := value.(map[string]any)
		if !is {
			names = append(names, name)
		}
		for member := range maps.Keys(members) {
			names = append(names, name+"."+member)
		}
	}
	page, err := os.ReadFile("../../../docs/lab.md")
	require.NoError(t, err)
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(string(page), -1) {
		for _, name := range regexp.MustCompile("`([a-z_.]+)`").FindAllStringSubmatch(row[1], -1) {
			listed = append(listed, name[1])
		}
	}
	slices.Sort(names)
	require.Subset(t, listed, names)
}
