package openstacktest

import (
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/vim"
)

const (
	formerTop = header + `
parameters:
  note: {type: string}
conditions:
  always: {not: {equals: [{get_param: note}, ""]}}
resources:
  old: {type: nested.yaml, condition: always, properties: {note: {get_param: note}}}
  both: {type: OS::Heat::TestResource, properties: {value: {get_param: note}}}
`
	nextTop = header + `
parameters:
  words: {type: json}
resources:
  both: {type: OS::Heat::TestResource, properties: {value: {get_param: [words, second]}}}
  new: {type: OS::Heat::TestResource, properties: {value: {get_param: [words, first]}}}
`
	// keptTop is nextTop with what only formerTop has, as package vnfpkg/hot makes it (Template.Keeping).
	keptTop = header + `
parameters:
  words: {type: json}
  former_note: {type: string}
conditions:
  former_always: {not: {equals: [{get_param: former_note}, ""]}}
resources:
  both: {type: OS::Heat::TestResource, properties: {value: {get_param: [words, second]}}}
  new: {type: OS::Heat::TestResource, properties: {value: {get_param: [words, first]}}}
  old: {type: nested.yaml, condition: former_always, properties: {note: {get_param: former_note}}}
`
	nestedNote = header + `
parameters:
  note: {type: string}
resources:
  deep: {type: OS::Heat::TestResource, properties: {value: {get_param: note}}}
`
)

// otherTemplate changes a stack as a VNF that gets another flavour. The template declares other parameters than before,
// and the kept resource has its parameter under another name.
func (s *site) otherTemplate() {
	files := map[string]string{"nested.yaml": nestedNote}
	s.create(s.stack(formerTop, map[string]any{"note": "hello"}, files), silent)
	had := s.inventory()
	words := map[string]any{"first": "hello", "second": "bye"}

	ch := s.change(map[string]any{"words": words, "former_note": "hello"})
	ch.Template, ch.Files, ch.Whole = keptTop, files, true
	told := &lines{}
	s.carryOut(ch, told.add)
	has := s.inventory()
	require.Equal(s, had.ID, has.ID)
	for _, name := range []string{"old", "both", "deep"} {
		require.Equal(s, named(s, had, name).ID, named(s, has, name).ID, "%s stays", name)
	}
	require.NotEmpty(s, named(s, has, "new").ID)
	require.NotContains(s, told.String(), "deep", "what is kept does not change")

	ch = s.change(map[string]any{"words": words})
	ch.Template, ch.Whole = nextTop, true
	s.carryOut(ch, silent)
	last := s.inventory()
	require.Equal(s, named(s, has, "both").ID, named(s, last, "both").ID)
	_, there := last.In(last.ID, "old")
	require.False(s, there)

	ch = s.change(map[string]any{"note": "hello"})
	ch.Template, ch.Files, ch.Whole = formerTop, files, true
	s.carryOut(ch, silent)
	require.NotEmpty(s, named(s, s.inventory(), "old").ID)
}

// named is the resource of that name.
func named(s *site, inv *vim.Inventory, name string) vim.Resource {
	s.Helper()
	for _, r := range inv.Resources {
		if r.Name == name {
			return r
		}
	}
	require.FailNow(s, "no resource", "%s", name)
	return vim.Resource{}
}
