package hot_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

const (
	largeTop = `heat_template_version: 2016-10-14
parameters:
  nfv: {type: json}
  former_net: {type: string}
resources:
  network: {type: OS::Neutron::Net, properties: {name: n}}
  web:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 2, desired_capacity: {get_param: web_size}, resource: {type: web.yaml}}
`
	smallTop = `heat_template_version: 2016-10-14
parameters:
  nfv: {type: json}
  net: {type: string, default: n}
  unused: {type: string}
conditions:
  tall: {equals: [{get_param: net}, n]}
  wide: {not: tall}
resources:
  network: {type: OS::Neutron::Net, properties: {name: {get_param: net}}}
  db:
    type: db.yaml
    condition: wide
    depends_on: network
    properties:
      image: {get_param: [nfv, VDU, db, vcImageId]}
      size: {if: [tall, 1, {get_param: net}]}
      stack: {get_param: OS::stack_name}
      network: {get_resource: network}
`
	dbFile = "heat_template_version: 2016-10-14\nresources:\n  db: {type: OS::Nova::Server}\n  disk: {type: disk.yaml}\n"
)

func TestKeeping_addsWhatOnlyTheFormerTemplateHas(t *testing.T) {
	t.Parallel()
	small, large := &descriptor.Flavour{ID: "small", BaseHOT: "s.yaml"}, &descriptor.Flavour{ID: "large", BaseHOT: "l.yaml"}
	now := hot.Template{Top: largeTop, Files: map[string]string{"web.yaml": "heat_template_version: 2016-10-14\n"}}
	was := hot.Template{Top: smallTop, Files: map[string]string{
		"db.yaml": dbFile, "disk.yaml": "heat_template_version: 2016-10-14\n", "other.yaml": "heat_template_version: 2016-10-14\n",
	}}
	got, renamed, err := now.Keeping(large, was, small)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"nfv": "former_nfv", "net": "former_former_net"}, renamed)
	require.YAMLEq(t, `heat_template_version: 2016-10-14
parameters:
  nfv: {type: json}
  former_net: {type: string}
  former_former_net: {type: string, default: n}
  former_nfv: {type: json}
conditions:
  former_tall: {equals: [{get_param: former_former_net}, n]}
  former_wide: {not: former_tall}
resources:
  network: {type: OS::Neutron::Net, properties: {name: n}}
  web:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 2, desired_capacity: {get_param: web_size}, resource: {type: web.yaml}}
  db:
    type: db.yaml
    condition: former_wide
    depends_on: network
    properties:
      image: {get_param: [former_nfv, VDU, db, vcImageId]}
      size: {if: [former_tall, 1, {get_param: former_former_net}]}
      stack: {get_param: OS::stack_name}
      network: {get_resource: network}
`, got.Top)
	require.Len(t, got.Files, 3, "files of the kept resources, and of those, but no others")
	require.Equal(t, dbFile, got.Files["db.yaml"])
	require.Contains(t, got.Files, "disk.yaml")
	require.Len(t, now.Files, 1)

	same, renamed, err := now.Keeping(large, now, large)
	require.NoError(t, err)
	require.Equal(t, now, same)
	require.Empty(t, renamed)
}

func TestKeeping_refusesAnotherFileOfTheSameName(t *testing.T) {
	t.Parallel()
	small, large := &descriptor.Flavour{ID: "small", BaseHOT: "s.yaml"}, &descriptor.Flavour{ID: "large", BaseHOT: "l.yaml"}
	now := hot.Template{Top: largeTop, Files: map[string]string{"db.yaml": "heat_template_version: 2018-08-31\n"}}
	_, _, err := now.Keeping(large, hot.Template{Top: smallTop, Files: map[string]string{"db.yaml": dbFile}}, small)
	require.True(t, lcm.Is(err, lcm.KindConflict))
	require.ErrorContains(t, err, "still use the former file: db.yaml")
}

func TestKeeping_refusesAnotherVersion(t *testing.T) {
	t.Parallel()
	small, large := &descriptor.Flavour{ID: "small", BaseHOT: "s.yaml"}, &descriptor.Flavour{ID: "large", BaseHOT: "l.yaml"}
	files := map[string]string{"web.yaml": "heat_template_version: 2016-10-14\n"}
	later := hot.Template{Top: strings.Replace(largeTop, "2016-10-14", "2018-08-31", 1), Files: files}
	_, _, err := later.Keeping(large, hot.Template{Top: smallTop, Files: map[string]string{"db.yaml": dbFile}}, small)
	require.True(t, lcm.Is(err, lcm.KindConflict))
	require.ErrorContains(t, err, "different versions, 2016-10-14 and 2018-08-31")

	_, _, err = later.Keeping(large, hot.Template{Top: largeTop, Files: files}, small)
	require.NoError(t, err, "nothing is kept")
}

func TestHolding_raisesAMaxSizeThatIsTooSmall(t *testing.T) {
	t.Parallel()
	f := &descriptor.Flavour{ID: "large", BaseHOT: "l.yaml", Vdus: []descriptor.Vdu{{ID: "web"}}}
	member := "heat_template_version: 2016-10-14\nresources:\n  web: {type: OS::Nova::Server}\n"
	template := hot.Template{Top: largeTop, Files: map[string]string{"web.yaml": member}}
	got, err := template.Holding(f, map[string]int{"web": 2})
	require.NoError(t, err)
	require.Equal(t, template, got)
	got, err = template.Holding(f, map[string]int{"web": 5})
	require.NoError(t, err)
	require.Contains(t, got.Top, "max_size: 5")
}

func TestKeeping_refusesServersThatWouldBeMadeAnew(t *testing.T) {
	t.Parallel()
	const header = "heat_template_version: 2016-10-14\nresources:\n"
	member := func(vdu string) string { return header + "  " + vdu + ": {type: OS::Nova::Server}\n" }
	group := func(name, file string) string {
		return "  " + name + ":\n    type: OS::Heat::AutoScalingGroup\n    properties: {min_size: 1, max_size: 2, resource: {type: " +
			file + "}}\n"
	}
	files := map[string]string{"web.yaml": member("web"), "db.yaml": member("db")}
	small := &descriptor.Flavour{ID: "small", BaseHOT: "s.yaml", Vdus: []descriptor.Vdu{{ID: "web"}, {ID: "db"}}}
	large := &descriptor.Flavour{ID: "large", BaseHOT: "l.yaml", Vdus: []descriptor.Vdu{{ID: "web"}, {ID: "db"}}}
	for name, c := range map[string]struct{ was, now, says string }{
		"a server becomes a member of a group": {
			member("web"), header + group("webs", "web.yaml"), "the servers of web are in web and in webs",
		},
		"a group has another name": {
			header + group("webs", "web.yaml"), header + group("others", "web.yaml"), "the servers of web are in webs and in others",
		},
		"a group has other members": {
			header + group("group", "db.yaml"), header + group("group", "web.yaml"), "group has the servers of db in one of them only",
		},
		"a group is of another type": {
			header + group("webs", "web.yaml"),
			header + "  webs: {type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: web.yaml}}}\n",
			"webs has the servers of web in one of them only",
		},
		"all stays":                   {header + group("webs", "web.yaml"), header + group("webs", "web.yaml"), ""},
		"a VDU goes, and another one": {member("db"), member("web"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := hot.Template{Top: c.now, Files: files}.Keeping(large, hot.Template{Top: c.was, Files: files}, small)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
			require.ErrorContains(t, err, c.says)
		})
	}
}
