package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestUserData_builtInAreTackersOwnClasses(t *testing.T) {
	for class, want := range map[string][2]bool{ // without Python, and with Python
		"": {true, true}, "DefaultUserData": {true, true}, "StandardUserData": {true, true},
		"KubernetesClusterUserData": {true, true},
		"SampleUserData":            {true, false}, "OwnUserData": {false, false},
	} {
		u := lcm.UserData{Class: class}
		assert.Equal(t, want, [2]bool{u.BuiltIn(false), u.BuiltIn(true)}, class)
	}
}

func TestParseUserData_takesTextsOnly(t *testing.T) {
	for params, want := range map[string]lcm.UserData{
		"":     {},
		"null": {},
		`{}`:   {},
		`[1]`:  {},
		`{"lcm-operation-user-data": "./UserData/a.py", "lcm-operation-user-data-class": "StandardUserData"}`: {Path: "./UserData/a.py", Class: "StandardUserData"},
		`{"lcm-operation-user-data": 7, "lcm-operation-user-data-class": {"a": 1}}`:                           {},
	} {
		got := lcm.ParseUserData(json.RawMessage(params))
		assert.Equal(t, want, got, params)
		assert.Equal(t, want.Class != "", got.SeparateResources(), params)
	}
}
