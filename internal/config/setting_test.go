package config

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSettings_areWellFormed checks what users meet: names, the usage text and, for flags, the word for the value. The
// package itself panics at its start if a tag is wrong.
func TestSettings_areWellFormed(t *testing.T) {
	require.NotEmpty(t, settings)
	needs := []Need{
		everyCommand, NeedDatabase, NeedTemporal, NeedAPI, NeedNotifications, NeedNFVO, NeedPackages, NeedVims, NeedPlans,
		NeedKeys, NeedToken, NeedWorker, NeedTelemetry,
	}
	named := map[string]bool{}
	for _, s := range settings {
		assert.NotEmpty(t, s.usage(), s.key)
		assert.Contains(t, needs, s.need, s.key)
		assert.Regexp(t, `^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)*$`, s.key)
		for _, name := range []string{s.key, s.flag(), s.env()} {
			assert.False(t, named[name], "there are two settings %s", name)
			named[name] = true
		}
		if s.field.Type.Kind() != reflect.Bool {
			assert.Regexp(t, "^[^`]*`[^`]+`[^`]*$", s.usage(), "%s has no word for its value", s.key)
		}
	}
}

func TestSettings_panicAtAWrongTag(t *testing.T) {
	for says, of := range map[string]any{
		"must be exported": struct {
			a string `setting:"a; default=b"`
		}{}, //nolint:unused // it is read by its tag
		"have a name": struct {
			A string `setting:"; default=b"`
		}{},
		"unknown rule \"defualt\"": struct {
			A string `setting:"a; defualt=b"`
		}{},
		"neither a default nor": struct {
			A string `setting:"a"`
		}{},
		"without two bounds": struct {
			A int `setting:"a; default=1; min=0"`
		}{},
		"is \"9\", not a number": struct {
			A int `setting:"a; default=9; min=0; max=1"`
		}{},
		"has bounds, but": struct {
			A string `setting:"a; default=1; min=0"`
		}{},
		"not b or c": struct {
			A string `setting:"a; default=d; enum=b|c"`
		}{},
		"kinds has no \"colour\"": struct {
			A string `setting:"a; default=red; is=colour"`
		}{},
		"kinds has no \"address\"": struct {
			A []string `setting:"a; default=h:1; is=address"`
		}{},
		"kinds has no \"uint8\"": struct {
			A uint8 `setting:"a; default=1"`
		}{},
		"not a duration": struct {
			A time.Duration `setting:"a; example=soon"`
		}{},
	} {
		func() {
			defer func() { assert.Contains(t, recover(), says) }()
			settingsIn(reflect.TypeOf(of), everyCommand, nil)
			t.Errorf("nothing is wrong, but it should say %q", says)
		}()
	}
	for _, s := range settingsIn(reflect.TypeFor[struct {
		A bool `setting:"a; default=true"` // which is no comment above it
	}](), everyCommand, nil) {
		assert.PanicsWithValue(t, "config: the setting of .A has no comment that says what it means, or its file is not in "+
			"usage.go", func() { _ = s.usage() })
	}
}
