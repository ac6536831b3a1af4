package containers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestPods(t *testing.T) {
	p := vnfpkgtest.MinimalContainers().Open(t)
	require.Empty(t, p.Warnings)
	f := p.Vnfd.Flavours[0]
	require.True(t, f.Containers)
	require.Len(t, f.Described(), 1)
	web := f.Vdus[0]
	require.Equal(t, &descriptor.Autoscaling{Min: 1, Max: 3, CPU: 80}, web.Pod.Autoscaling)
	require.Equal(t, 1, web.MinInstances)
	require.Equal(t, 3, web.MaxInstances)
	require.Equal(t, descriptor.Word{Text: "web:1"}, web.Pod.Containers[0].Image)
	require.Equal(t, []descriptor.Service{{
		ID: "cp", Vdus: []string{"web"},
		Ports: []descriptor.ServicePort{{Name: "http", Protocol: "TCP", Port: 80, Target: 80}},
	}}, f.Services)
	require.Equal(t, "cp-12345678", f.ServiceName(f.Services[0], "12345678-9"))
	require.Equal(t, "web", web.WorkloadName("12345678-9"))
}

func TestPods_tellsEveryMistakeWithItsPlace(t *testing.T) {
	const size = "        requested_cpu_resources: 500\n"
	const cpu = "requested_cpu_resources: 500"
	container := func(properties string) [2]string { return [2]string{size, size + properties} }
	for name, c := range map[string]struct {
		change [2]string
		want   []string
	}{
		"a limit below the request": {
			container("        cpu_resource_limit: 100\n"),
			[]string{":17: requested_cpu_resources of the container server is more than its cpu_resource_limit"},
		},
		"sizes": {
			container("        requested_memory_resources: much\n        cpu_resource_limit: -1\n"),
			[]string{`:19: "-1" is no number of thousandths of a CPU`, `:18: "much" is not a size with a unit, such ` +
				`as 512 MB`},
		},
		"parts of a pinned CPU": {
			container("        memory_resource_limit: 1 GB\n        cpu_pinning_requirements: { virtual_cpu_pinning_policy: static }\n"),
			[]string{
				":15: the container server is pinned to CPUs (cpu_pinning_requirements), but 500 thousandths of a " +
					"CPU are not a whole number of CPUs",
			},
		},
		"pinned without memory": {
			[2]string{cpu, "requested_cpu_resources: 1000\n        cpu_pinning_requirements: {}"},
			[]string{
				":15: the container server is pinned to CPUs (cpu_pinning_requirements): it needs requested_memory_resources",
			},
		},
		"pinned with two sizes": {
			[2]string{cpu, "requested_cpu_resources: 1000\n        cpu_resource_limit: 2000\n" +
				"        requested_memory_resources: 1 GB\n        cpu_pinning_requirements: {}"},
			[]string{":15: the container server is pinned to CPUs (cpu_pinning_requirements): its requested_cpu_resources and its " +
				"cpu_resource_limit must be the same"},
		},
		"one of two is pinned": {
			[2]string{"        - container: server\n", "        - container: server\n        - container: pinned\n    pinned:\n" +
				"      type: tosca.nodes.nfv.Vdu.OsContainer\n      properties: { cpu_resource_limit: 1000, memory_resource_limit: 1 GB, " +
				"cpu_pinning_requirements: {} }\n      artifacts: { sw_image: a }\n"},
			[]string{
				":8: the container pinned of the VDU web is pinned to CPUs, so the container server must request as " +
					"much cpu",
				":8: the container pinned of the VDU web is pinned to CPUs, so the container server must request as " +
					"much memory",
			},
		},
		"parts of huge pages": {
			container("        huge_pages_resources: [ { hugepage_size: 2 MB, requested_size: 3 MB }, { hugepage_size: 2 MB } ]\n"),
			[]string{
				":18: the requested_size 3Mi of the container server is not a whole number of huge pages of 2Mi",
				":18: huge pages of the container server need a hugepage_size and a requested_size",
			},
		},
		"nothing but huge pages": {
			[2]string{cpu, "huge_pages_resources: [ { hugepage_size: 1 GB, requested_size: 1 GB } ]"},
			[]string{":17: the container server requests huge pages, but neither memory nor CPUs: Kubernetes " +
				"requires memory or CPUs for huge pages"},
		},
		"extended resources": {
			container("        extended_resource_requests: [ { extended_resource: { gpu: '' }, amount: 1 }, " +
				"{ extended_resource: { example.com/gpu: '' } } ]\n"),
			[]string{
				":18: the extended_resource does not name a resource of a cluster, such as example.com/gpu",
				":18: the extended_resource example.com/gpu has no amount",
			},
		},
		"inputs": {
			container("        env: { A: { get_input: none }, B: { get_input: db_password }, C: { concat: [ a ] }, 'D=': x }\n"),
			[]string{
				`:18: the input "none" is not declared (topology_template.inputs)`,
				`:18: the input "db_password" has the name of a secret`,
				":18: must be a text: Windlass knows only the function get_input here",
				`:18: "D=" is not a valid name of a variable`,
			},
		},
		"config": {
			container("        config: { a b: c }\n"),
			[]string{`:18: the config has the member "a b", whose name may have letters, digits and -._ only`},
		},
		"a text as config": {container("        config: hello\n"), []string{":18: the config is a text that does not " +
			"contain a mapping"}},
		"ports": {
			container("        ports: [ 0, 53/dns, { name: Web_Port, port: 1 } ]\n"),
			[]string{
				`:18: "0" is not a port: a port is a number between 1 and 65535`,
				`:18: "dns" is not a protocol of a port: use tcp, udp or sctp`,
				`:18: "Web_Port" is not a valid name of a port: use at most 15 small letters, digits and dashes`,
			},
		},
		"a name": {
			[2]string{"{ name: web, type: Deployment }", "{ name: Web_1, type: Job }"},
			[]string{
				`:11: the type of mcio_identification_data is "Job": it must be Deployment or StatefulSet`,
				`:11: the name of mcio_identification_data is "Web_1", which cannot be a name on a cluster`,
			},
		},
		"labels and ports of a VDU": {
			[2]string{"        name: web\n", "        name: web\n        labels: [ 'a b: c', 'windlass.nfv/owner: me' ]\n" +
				"        mapping_ports: [ '80:x', '81', '81' ]\n        service_type: External\n"},
			[]string{
				`:11: "a b": "c" is not a label that an object of a package can have on a cluster`,
				`:11: "windlass.nfv/owner": "me" is not a label`,
				`:13: the service_type is "External": it must be one of ClusterIP, NodePort, LoadBalancer`,
				`:12: "x" is not a port`,
				":12: the port 81 (port-81) of web has the number or the name of another port",
			},
		},
		"a container that is none": {
			[2]string{"container: server", "container: cp"},
			[]string{
				`:8: the requirement container names the node "cp", which is of type "tosca.nodes.nfv.VirtualCp", not ` +
					"tosca.nodes.nfv.Vdu.OsContainer", `:8: the VDU "web" has no container (requirement container)`,
			},
		},
		"two containers of one name": {
			[2]string{"        - container: server\n", "        - container: server\n        - container: server\n"},
			[]string{`two containers of one VDU would be called "server" on a cluster`},
		},
		"a target that is none": {
			[2]string{"target: web", "target: server"},
			[]string{`the connection point "cp" has the target "server", which is no VDU of containers`},
		},
		"Services of one name": {
			[2]string{"    cp:\n", "    CP:\n      type: tosca.nodes.nfv.VirtualCp\n      properties: { additionalServiceData: " +
				"[ { portData: [ { port: 1 } ] } ] }\n      requirements: [ { target: web } ]\n    cp:\n"},
			[]string{"the Services of CP and cp would have the same name on a cluster: rename one of them"},
		},
		"a policy without an end": {
			[2]string{"max_instances: 3", "min_instances: 3, target_cpu_utilization_percentage: 0"},
			[]string{"the policy scaling needs max_instances, not less than min_instances"},
		},
		"two policies": {
			[2]string{"  policies:\n", "  policies:\n    - also: { type: tosca.policies.tacker.Scaling, targets: [ web ], " +
				"properties: { max_instances: 3, default_instances: 4 } }\n"},
			[]string{
				"the default_instances of the policy also must be between min_instances and max_instances",
				"the policy scaling scales the VDU web, but another policy scales it, too",
			},
		},
		"VMs beside containers": {
			[2]string{"    server:\n", "    vm:\n      type: tosca.nodes.nfv.Vdu.Compute\n      properties: { sw_image_data: { name: a } }\n" +
				"    server:\n"},
			[]string{":8: VDUs of VMs beside VDUs of containers need a Base HOT, or the data to make a template from"},
		},
		"a chart that is not there": {
			[2]string{"    cp:\n", "    chart:\n      type: tosca.nodes.nfv.Mciop\n      artifacts: { chart: { type: x, file: a.tgz } }\n" +
				"      requirements: [ { associatedVdu: server } ]\n    cp:\n"},
			[]string{
				`names the chart "a.tgz", which the archive lacks: Windlass takes charts from the VNF package only`,
				`the Mciop "chart" makes "server", which is no VDU of containers`,
			},
		},
		"a driver of servers": {
			[2]string{"properties: { descriptor_id: vnfd-1 }", "properties: { descriptor_id: vnfd-1 }, interfaces: { Vnflcm: { " +
				"instantiate_end: { implementation: mgmt-drivers-kubernetes } } }"},
			[]string{"a VDU of containers runs on Kubernetes, but the driver mgmt-drivers-kubernetes works on servers"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := vnfpkgtest.MinimalContainers().ReplaceVnfd(t, c.change[0], c.change[1]).TryOpen()
			have := vnfpkgtest.Problems(t, err)
			require.Len(t, have, len(c.want), "%s", strings.Join(have, "\n"))
			for i, want := range c.want {
				require.Contains(t, have[i], want)
			}
		})
	}
	_, err := vnfpkgtest.MinimalContainers().With(vnfpkgtest.SmallHOT, vnfpkgtest.MinimalHOT).With(vnfpkgtest.NestedHOT,
		vnfpkgtest.MinimalNested).TryOpen()
	require.Contains(t, vnfpkgtest.Problems(t, err)[0], "the flavour has the Heat template BaseHOT/small/top.yaml")
}

func TestPods_warnings(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"no ports": {
			"        additionalServiceData: [ { portData: [ { name: http, protocol: tcp, port: 80 } ] } ]\n", "        name: x\n",
			"the connection point cp has no ports (additionalServiceData.portData), so Windlass makes no Service " +
				"from it",
		},
		"no CPU to measure": {"        requested_cpu_resources: 500\n", "        name: x\n", "the cluster will not scale it"},
		"an image in the file": {"file: x", "file: top.yaml", "into a registry: the cluster must be able to pull " +
			"\"web:1\""},
		"a storage": {
			"        - container: server\n", "        - container: server\n        - virtual_storage: cp\n",
			"Windlass does not make the storage cp of the VDU web",
		},
		"a scope": {
			"  policies:\n", "  policies:\n    - apart: { type: tosca.policies.nfv.AntiAffinityRule, targets: [ web ], " +
				"properties: { scope: nfvi_pop } }\n",
			`the rule apart has the scope "nfvi_pop", but no node label shows this scope`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := vnfpkgtest.MinimalContainers().ReplaceVnfd(t, c.from, c.to).Open(t)
			require.Len(t, p.Warnings, 1, "%v", p.Warnings)
			require.Contains(t, p.Warnings[0].Detail, c.want)
		})
	}
}

// TestPods_areLeftToManifestsAndCharts checks that a VDU whose containers have no image is defined by manifests, or by
// the chart of an Mciop.
func TestPods_areLeftToManifestsAndCharts(t *testing.T) {
	bare := vnfpkgtest.MinimalContainers().ReplaceVnfd(t,
		"        sw_image: { type: tosca.artifacts.nfv.SwImage, file: x, properties: { name: web, version: '1' } }\n", "        {}\n")
	p := bare.Open(t)
	require.Len(t, p.Warnings, 1)
	require.Contains(t, p.Warnings[0].Detail, "requests must name manifests or charts with it")
	f := p.Vnfd.Flavours[0]
	require.True(t, f.Containers)
	require.Empty(t, f.Described())
	require.Empty(t, f.Services)
	require.Equal(t, "web", f.Vdus[0].Name, "is how manifests call it")

	charted := bare.With("Files/web/Chart.yaml", "name: web\n").ReplaceVnfd(t, "    cp:\n", `    chart:
      type: tosca.nodes.nfv.Mciop
      artifacts: { chart: { type: tosca.artifacts.nfv.HelmChart, file: Files/web } }
      requirements: [ { associatedVdu: web } ]
    cp:
`)
	p = charted.Open(t)
	require.Empty(t, p.Warnings)
	require.Equal(
		t, []descriptor.Chart{{ID: "chart", File: "Files/web", Vdus: []string{"web"}}}, p.Vnfd.Flavours[0].Charts,
	)
}

// TestPods_takesSeveralForms checks that lists, maps and single words are accepted for the same property.
func TestPods_takesSeveralForms(t *testing.T) {
	f := vnfpkgtest.MinimalContainers().
		ReplaceVnfd(t, "        requested_cpu_resources: 500\n", `        requested_cpu_resources: 500
        image: { get_input: given }
        command: run
        args: [ { get_input: given }, x ]
        env: [ { name: A, value: a }, { B: { get_input: given } } ]
        ports: 8080
`).ReplaceVnfd(t, "        name: web\n", `        name: web
        namespace: curry
        labels: [ { app: web }, 'tier: front' ]
        mapping_ports: 8081
`).ReplaceVnfd(t, "name: http, protocol: tcp, port: 80", "protocol: tcp, port: 80, target_port: 8080")
	f = f.ReplaceVnfd(t, "        additionalServiceData:", "        service_name: shown\n        additionalServiceData:")
	p := f.Open(t)
	require.Empty(t, p.Warnings)
	flavour := p.Vnfd.Flavours[0]
	pod := flavour.Vdus[0].Pod
	require.Equal(t, "curry", pod.Namespace)
	require.Equal(t, map[string]string{"app": "web", "tier": "front"}, pod.Labels)
	c, given := pod.Containers[0], descriptor.Word{Input: "given", Required: true}
	require.Equal(t, given, c.Image)
	require.Equal(t, []descriptor.Word{{Text: "run"}}, c.Command)
	require.Equal(t, []descriptor.Word{given, {Text: "x"}}, c.Args)
	require.Equal(t, map[string]descriptor.Word{"A": {Text: "a"}, "B": given}, c.Env)
	require.Equal(t, []descriptor.ContainerPort{{Protocol: "TCP", Port: 8080}}, c.Ports)
	require.Equal(
		t, []descriptor.ServicePort{{Name: "port-8081", Protocol: "TCP", Port: 8081, Target: 8081}},
		flavour.Services[0].Ports,
	)
	require.Equal(
		t, []descriptor.ServicePort{{Name: "port-80", Protocol: "TCP", Port: 80, Target: 8080}}, flavour.Services[1].Ports,
	)
	require.Equal(t, "web", flavour.ServiceName(flavour.Services[0], "12345678"))
	require.Equal(t, "shown", flavour.ServiceName(flavour.Services[1], "12345678"))
	require.Equal(t, &descriptor.SwImage{Name: "web", Version: "1", ContainerFormat: "docker"}, c.Software)
}

func TestPods_refusesOtherForms(t *testing.T) {
	f := vnfpkgtest.MinimalContainers().
		ReplaceVnfd(t, "        requested_cpu_resources: 500\n", `        image: { get_input: given }
        command: { run: x }
        args: [ [ x ] ]
        env: 1
        config: [ 1, 2 ]
`).ReplaceVnfd(t, "        name: web\n", "        name: web\n        labels: app\n        namespace: No_Name\n").
		ReplaceVnfd(t, "        - target: web\n", "        []\n").
		ReplaceVnfd(t, "inputs: { given: { type: string }", "inputs: { given: { default: [ 1 ] }")
	_, err := f.TryOpen()
	require.Equal(t, []string{
		`Definitions/top.yaml:11: labels must be a mapping, or a list of texts such as "app: web"`,
		`Definitions/top.yaml:12: the namespace is "No_Name", which cannot be a name on a cluster: use at most 63 ` +
			`small letters, ` +
			"digits and dashes",
		"Definitions/top.yaml:20: must be a text: Windlass knows only the function get_input here",
		"Definitions/top.yaml:21: must be a text: Windlass knows only the function get_input here",
		"Definitions/top.yaml:22: must be a mapping of texts",
		"Definitions/top.yaml:23: must be a mapping of texts",
		`Definitions/top.yaml:19: the input "given" is no text`,
		`Definitions/top.yaml:27: the connection point "cp" has no target`,
	}, vnfpkgtest.Problems(t, err))
}
