package openstacktest

import (
	"context"
	"strings"
	"time"

	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// header begins every template.
const header = "heat_template_version: 2018-08-31\n"

const nestedTop = header + `
parameters:
  note: {type: string}
  shape: {type: json}
  sizes: {type: comma_delimited_list, default: "1,2"}
resources:
  outer:
    type: outer.yaml
    properties: {note: {get_param: note}, side: {get_param: [shape, side]}}
outputs:
  all: {value: {get_attr: [outer, all]}}
  last: {value: {get_param: [sizes, 1]}}
  file: {value: {get_file: motd.txt}}
`

var nestedFiles = map[string]string{
	"outer.yaml": header + `
parameters:
  note: {type: string}
  side: {type: string}
resources:
  inner: {type: inner.yaml, properties: {note: {get_param: note}}}
outputs:
  all: {value: {list_join: ["/", [{get_attr: [inner, said]}, {get_param: side}]]}}
`,
	"inner.yaml": header + `
parameters:
  note: {type: string}
resources:
  deep: {type: OS::Heat::TestResource, properties: {value: {get_param: note}}}
outputs:
  said: {value: {get_attr: [deep, output]}}
`,
	"motd.txt": "with %signs% and \"quotes\"\n",
}

func (s *site) templates() {
	id := s.create(s.stack(nestedTop, map[string]any{"note": "hello: {world}", "shape": map[string]any{"side": "left"}},
		nestedFiles), silent)
	outputs := s.outputs(id)
	require.Equal(s, "hello: {world}/left", outputs["all"])
	require.Equal(s, "2", outputs["last"])
	require.Equal(s, nestedFiles["motd.txt"], outputs["file"])

	inv := s.inventory()
	require.Equal(s, id, inv.ID)
	deep := ofType(inv, "OS::Heat::TestResource")
	require.Len(s, deep, 1)
	require.Equal(s, []string{"deep", "inner"}, []string{deep[0].Name, deep[0].Member})
	outer, ok := inv.In(id, "outer")
	require.True(s, ok)
	inner, ok := inv.In(outer.ID, "inner")
	require.True(s, ok, "resources know the stack that holds them")
	require.Equal(s, inner.ID, deep[0].Part)

	s.update(map[string]any{"note": "bye"}, silent)
	require.Equal(s, "bye/left", s.outputs(id)["all"], "what is not given stays as it is")
}

// outputs reads a stack's outputs with the second client.
func (s *site) outputs(id string) map[string]any {
	s.Helper()
	st, err := stacks.Get(s.Context(), s.service(client.NewOrchestrationV1), s.name, id).Extract()
	require.NoError(s, err)
	out := map[string]any{}
	for _, o := range st.Outputs {
		out[o["output_key"].(string)] = o["output_value"]
	}
	return out
}

// slow is a template of a stack that takes some seconds to create.
const slow = header + `
parameters:
  seconds: {type: number, default: 4}
  word: {type: string, default: one}
resources:
  first: {type: OS::Heat::TestResource, properties: {value: {get_param: word}}}
  slow: {type: OS::Heat::TestResource, depends_on: first, properties: {action_wait_secs: {create: {get_param: seconds}}}}
  last: {type: OS::Heat::TestResource, depends_on: slow}
`

// begin creates a stack, and cancels the call when Heat creates the resource slow, as when a worker is killed.
func (s *site) begin(st openstack.Stack) {
	s.Helper()
	ctx, stop := context.WithTimeout(s.Context(), s.Patience)
	defer stop()
	_, err := s.cloud.CreateStack(ctx, st, func(line string) {
		if line == "slow CREATE_IN_PROGRESS" {
			stop()
		}
	})
	require.ErrorIs(s, err, context.Canceled)
}

func (s *site) again() {
	st := s.stack(slow, nil, nil)
	s.begin(st)
	var first lines
	id := s.create(st, first.add)
	require.Equal(s, s.name+" CREATE_IN_PROGRESS", strings.Split(first.String(), "\n")[0], "it tells what it has missed")
	require.Equal(s, id, s.create(st, silent), "the stack of this operation is there")
	require.Equal(s, id, s.inventory().ID)

	next := st
	next.Operation = "op-2"
	var second lines
	other := s.create(next, second.add)
	require.NotEqual(s, id, other, "that of another operation may have other parameters")
	require.Contains(s, second.String(), "deletes it first")
}

func (s *site) others() {
	st := s.stack(header+"\nresources:\n  one: {type: OS::Heat::TestResource}\n", nil, nil)
	s.create(st, silent)

	const stranger = "windlass-vnf-stranger"
	theirs := st
	theirs.Owner = stranger
	_, err := s.cloud.CreateStack(s.Context(), theirs, silent)
	s.requireKind(lcm.KindConflict, err, s.name, "does not belong to Windlass")
	err = s.cloud.UpdateStack(s.Context(), openstack.Change{Name: s.name, Owner: stranger, Operation: "op"}, silent)
	s.requireKind(lcm.KindConflict, err, s.name)
	s.requireKind(lcm.KindConflict, s.cloud.Signal(s.Context(), s.name, stranger, "one"))
	var told lines
	require.NoError(s, s.cloud.DeleteStack(s.Context(), s.name, stranger, told.add))
	require.Contains(s, told.String(), "leaves it alone")
	left, err := s.cloud.ShutDown(s.Context(), s.name, stranger, time.Now(), silent)
	require.NoError(s, err)
	require.Empty(s, left)
	require.NoError(s, s.cloud.CancelStack(s.Context(), s.name, stranger, silent))
	require.Len(s, ofType(s.inventory(), "OS::Heat::TestResource"), 1)

	missing := openstack.Change{Name: s.name + "-x", Owner: owner, Operation: "op"}
	s.requireKind(lcm.KindNotFound, s.cloud.UpdateStack(s.Context(), missing, silent))
}

// ofType returns the resources of a Heat type that has no kind in package vim.
func ofType(inv *vim.Inventory, kind string) (out []vim.Resource) {
	for _, r := range inv.Resources {
		if r.VimType == kind && r.ID != "" {
			out = append(out, r)
		}
	}
	return out
}
