package openstacktest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

const server = `
  vdu: {type: OS::Nova::Server, properties: {image: {get_param: image}, flavor: {get_param: flavor}, networks: [{network: {get_param: network}}]}}
`

const serverParameters = `
parameters:
  image: {type: string}
  flavor: {type: string}
  network: {type: string}
`

const sealed = "Secret-7c1e"

func (s *site) refusals() {
	for _, c := range []struct {
		what, template string
		parameters     map[string]any
		words          []string
	}{
		{
			"a missing image", header + serverParameters + "resources:" + server,
			map[string]any{"image": "no such image"},
			[]string{"no such image"},
		},
		{
			"a missing flavor", header + serverParameters + "resources:" + server,
			map[string]any{"flavor": "no such flavor"},
			[]string{"no such flavor"},
		},
		{
			"a missing network", header + serverParameters + "resources:" + server,
			map[string]any{"network": "no such network"},
			[]string{"no such network"},
		},
		{"an unknown type", header + "resources:\n  x: {type: OS::Nothing::AtAll}\n", nil, []string{"OS::Nothing::AtAll"}},
		{
			"an unknown property", header + "resources:\n  x: {type: OS::Heat::TestResource, properties: {colour: red}}\n", nil,
			[]string{"colour"},
		},
		{"a reference to nothing", header +
			"resources:\n  x: {type: OS::Heat::TestResource, properties: {value: {get_resource: y}}}\n", nil, []string{"y"}},
		{"a missing parameter", header + "parameters:\n  p: {type: string}\nresources: {}\n", nil, []string{"p"}},
		{"a parameter that nobody knows", header + "resources: {}\n", map[string]any{"q": "1"}, []string{"q"}},
		{"no YAML", header + "resources: [}", nil, nil},
		{"a missing file", header + "resources:\n  x: {type: nested.yaml}\n", nil, []string{"nested.yaml"}},
		{
			"a secret against its constraint", header +
				"parameters:\n  p: {type: string, constraints: [{allowed_values: [a]}]}\nresources: {}\n",
			map[string]any{"p": sealed},
			[]string{"p"},
		},
	} {
		s.Run(c.what, func(t *testing.T) {
			in := newSite(t, s.Cloud)
			st := in.stack(c.template, c.parameters, nil)
			st.Secrets = []string{sealed}
			_, err := in.cloud.CreateStack(t.Context(), st, silent)
			in.requireKind(lcm.KindInvalid, err, append(c.words, "create stack "+in.name)...)
			require.NotContains(t, err.Error(), sealed)
			in.foresees(st, c.words)
			in.requireWorks(in.cloud) // nothing was made
		})
	}
}

// foresees checks that a survey finds the problem of a stack.
func (s *site) foresees(st openstack.Stack, words []string) {
	problems, err := s.cloud.Survey(s.Context(), vim.Deployment{
		Name: st.Name, Owner: st.Owner, Operation: st.Operation, Timeout: st.Timeout, Secrets: st.Secrets,
		Definition: openstack.Definition{Template: st.Template, Files: st.Files, Parameters: st.Parameters},
	}, vim.Room{})
	require.NoError(s, err)
	require.Len(s, problems, 1)
	for _, word := range words {
		require.Contains(s, problems[0], word)
	}
	require.NotContains(s, problems[0], sealed)
}

// inside wraps resources into a member of a group, two stacks below the top.
func inside(resources string) (top string, files map[string]string) {
	parameters, pass := "", "{}"
	if strings.Contains(resources, "get_param: image") {
		parameters, pass = serverParameters,
			"{image: {get_param: image}, flavor: {get_param: flavor}, network: {get_param: network}}"
	}
	return header + parameters + `
resources:
  fine: {type: OS::Heat::TestResource}
  group:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 1, resource: {type: member.yaml, properties: ` + pass + `}}
`, map[string]string{"member.yaml": header + parameters + "resources:" + resources}
}

func (s *site) failures() {
	for _, c := range []struct {
		what, resources string
		kind            lcm.ErrorKind
		words           []string
	}{
		{
			"a resource that fails", "\n  odd: {type: OS::Heat::TestResource, properties: {fail: true}}\n", lcm.KindBroken,
			[]string{"odd (OS::Heat::TestResource)", "Test Resource failed"},
		},
		{
			"a volume above the quota", "\n  disk: {type: OS::Cinder::Volume, properties: {size: 900000}}\n", lcm.KindExhausted,
			[]string{"disk (OS::Cinder::Volume)", "quota"},
		},
		{
			"more servers apart than there are hosts",
			"\n  apart: {type: OS::Nova::ServerGroup, properties: {policies: [anti-affinity]}}" +
				apart("one") + apart("two"), lcm.KindExhausted,
			[]string{"(OS::Nova::Server)", "No valid host"},
		},
	} {
		s.Run(c.what, func(t *testing.T) {
			in := newSite(t, s.Cloud)
			top, files := inside(c.resources)
			st := in.stack(top, nil, files)
			var told lines
			ctx, done := context.WithTimeout(t.Context(), in.Patience)
			defer done()
			_, err := in.cloud.CreateStack(ctx, st, told.add)
			in.requireKind(c.kind, err, append(c.words, "CREATE_FAILED", in.name)...)
			require.Contains(t, told.String(), c.words[0][:strings.IndexAny(c.words[0]+" ", " (")])
			in.delete(silent)
			in.requireWorks(in.cloud) // it is gone
		})
	}
}

// apart makes a server in the server group of that name.
func apart(name string) string {
	grouped := strings.Replace(server, "properties: {", "properties: {scheduler_hints: {group: {get_resource: apart}}, ",
		1)
	return strings.Replace(grouped, "vdu", name, 1)
}
