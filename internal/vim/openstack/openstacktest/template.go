package openstacktest

import (
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
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
	former := hot.Template{Top: formerTop, Files: map[string]string{"nested.yaml": nestedNote}}
	s.create(s.stack(former.Top, map[string]any{"note": "hello"}, former.Files), silent)
	had := s.inventory()
	kept, renamed, err := hot.Template{Top: nextTop}.Keeping(&descriptor.Flavour{BaseHOT: "next.yaml"}, former,
		&descriptor.Flavour{BaseHOT: "former.yaml"})
	require.NoError(s, err)
	words := map[string]any{"first": "hello", "second": "bye"}

	ch := s.change(map[string]any{"words": words, renamed["note"]: "hello"})
	ch.Template, ch.Files, ch.Whole = kept.Top, kept.Files, true
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
	ch.Template, ch.Files, ch.Whole = former.Top, former.Files, true
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
