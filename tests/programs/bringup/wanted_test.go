package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead_ofTheDemosArguments(t *testing.T) {
	for name, c := range map[string]struct {
		args        []string
		host, image bool
	}{
		"real machines":            {nil, true, true},
		"with containers":          {[]string{"--cnf", "--level", "2"}, true, true},
		"machines that act":        {[]string{"--machines", "fake"}, true, false},
		"one dash, an equals sign": {[]string{"-machines=fake"}, true, false},
		"real machines, named":     {[]string{"--machines=nspawn", "--json", "f"}, true, true},
		"a real OpenStack":         {[]string{"--cloud", "openstack"}, true, false},
		"a value like an argument": {[]string{"--json", "exit"}, true, true},
		"help":                     {[]string{"-h"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := read(append([]string{"demo"}, c.args...))
			require.NoError(t, err)
			assert.Equal(t, wanted{args: w.args, host: c.host, image: c.image, programs: w.programs}, w)
			assert.ElementsMatch(t, c.args, w.args)
		})
	}
}

func TestRead_ofTheEndNeedsOnlyWhatRemovesTheDemo(t *testing.T) {
	w, err := read([]string{"demo", "--exit"})
	require.NoError(t, err)
	assert.Equal(t, []string{"windlass-lab", "demo"}, w.programs)
	w, err = read([]string{"demo", "--exit", "--cloud", "openstack"})
	require.NoError(t, err)
	assert.Nil(t, w.programs, "in a cloud that stays, Windlass removes the VNF")
	assert.False(t, w.host)
}

func TestRead_refusesWhatItDoesNotKnow(t *testing.T) {
	for _, args := range [][]string{nil, {"programs"}, {"--machines", "fake"}} {
		_, err := read(args)
		require.ErrorContains(t, err, "usage: bringup demo")
	}
}

func TestJobs_ofProgramsAreTheirs(t *testing.T) {
	list, err := wanted{programs: []string{"windlass"}}.jobs(t.TempDir())
	require.NoError(t, err)
	require.Len(t, list, 2, "fetch, and compile")
	assert.Equal(t, "windlass", list[1].Title)
	assert.Equal(t, list[:1], list[1].After)
}
