package userdata

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestMain(m *testing.M) {
	if IsChild() {
		fmt.Fprintln(os.Stderr, Confine())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// newRunner returns a runner on this host, and skips the test if this is not possible.
func newRunner(t *testing.T) *Runner {
	t.Helper()
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if _, err := exec.LookPath(python); err != nil {
			continue
		}
		r := &Runner{Python: python, Time: time.Minute}
		err := r.Check(t.Context())
		if err == nil {
			return r
		}
		// A missing confinement is the only accepted reason.
		require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
		t.Log(err)
	}
	t.Skip("User data classes are NOT tested: this host has no Python, or no Landlock and seccomp to confine it with.")
	return nil
}

const v1Head = "class Own:\n    @staticmethod\n    def instantiate(base_hot_dict, vnfd_dict, inst_req_info, " +
	"grant_info):\n"

// body runs these lines as the body of a method of v1.
func (r *Runner) body(t *testing.T, lines ...string) (Made, error) {
	t.Helper()
	return r.Run(t.Context(), Call{
		Files: map[string][]byte{"UserData/own.py": []byte(v1Head + "        " + strings.Join(lines, "\n        ") + "\n")},
		Path:  "./UserData/own.py", Class: "Own", Told: told(), Secrets: []string{"hunter2-of-the-request"},
	})
}

func told() Told {
	get := func(path ...any) map[string]any { return map[string]any{"get_param": append([]any{"nfv"}, path...)} }
	return Told{
		Hot: Hot{
			Template: map[string]any{
				"parameters": map[string]any{"nfv": map[string]any{"type": "json"}, "key": map[string]any{"type": "string"}},
				"resources": map[string]any{
					"group": map[string]any{
						"type": "OS::Heat::AutoScalingGroup",
						"properties": map[string]any{"resource": map[string]any{
							"properties": map[string]any{"image": get("VDU", "node", "image"), "net": get("CP", "node_CP", "network")},
						}},
					},
					"VM": map[string]any{"type": "OS::Nova::Server", "properties": map[string]any{
						"flavor": get("VDU", "node", "flavor"), "zone": get("VDU", "node", "locationConstraints"),
						"count": get("VDU", "node", "desired_capacity"),
					}},
				},
			},
			Files: map[string]any{"nested.yaml": map[string]any{"resources": map[string]any{}}},
		},
		Vnfd: map[string]any{"topology_template": map[string]any{"node_templates": map[string]any{"node": map[string]any{
			"type":       "tosca.nodes.nfv.Vdu.Compute",
			"properties": map[string]any{"sw_image_data": map[string]any{"name": "image-1"}},
			"capabilities": map[string]any{"virtual_compute": map[string]any{"properties": map[string]any{
				"requested_additional_capabilities": map[string]any{"properties": map[string]any{"requested_additional_capability_name": "m1.small"}},
				"virtual_cpu":                       map[string]any{"num_virtual_cpu": 2},
				"virtual_memory":                    map[string]any{"virtual_mem_size": "4 GiB"},
			}}},
		}}}},
		Request: map[string]any{
			"flavourId": "simple", "additionalParams": map[string]any{"key": "hunter2-of-the-request", "other": 1},
			"extVirtualLinks": []any{map[string]any{"id": "l", "resourceId": "net-1", "extCps": []any{map[string]any{
				"cpdId": "node_CP", "cpConfig": map[string]any{"node_CP": map[string]any{"cpProtocolData": []any{map[string]any{
					"layerProtocol": "IP_OVER_ETHERNET",
					"ipOverEthernet": map[string]any{"ipAddresses": []any{map[string]any{
						"type": "IPV4", "fixedAddresses": []any{"10.0.0.7"}, "subnetId": "sub",
					}}},
				}}}},
			}}}},
			"vimConnectionInfo": map[string]any{"vim": map[string]any{"vimId": "v", "vimType": "openstack"}},
		},
		Instance: map[string]any{"id": "i", "vnfdId": "d"},
		GrantRequest: map[string]any{"operation": "INSTANTIATE", "addResources": []any{
			map[string]any{"id": "node-0", "type": "COMPUTE", "resourceTemplateId": "node"},
			map[string]any{"id": "node-1", "type": "COMPUTE", "resourceTemplateId": "node"},
		}},
		Grant: map[string]any{
			"zones":        []any{map[string]any{"id": "z", "zoneId": "west"}},
			"addResources": []any{map[string]any{"resourceDefinitionId": "node-0", "zoneId": "z"}},
			"vimAssets": map[string]any{"softwareImages": []any{map[string]any{
				"vnfdSoftwareImageId": "node",
				"vimSoftwareImageId":  "granted",
			}}},
		},
		Images: map[string]string{"node": "granted"}, Flavours: map[string]string{"node": "m1.small"},
		Capacity: map[string]int{"workers": 2},
	}
}

func TestRun_aClassOfV1UsesWhatTackersSamplesUse(t *testing.T) {
	r := newRunner(t)
	script := `import tacker.vnfm.lcm_user_data.utils as UserDataUtil
from oslo_log import log as logging
from tacker.vnfm.lcm_user_data.abstract_user_data import AbstractUserData

LOG = logging.getLogger(__name__)


class Own(AbstractUserData):
    @staticmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        LOG.debug("what comes: %s", inst_req_info)
        print("also this is no answer")
        more = UserDataUtil.get_diff_base_hot_param_from_api(base_hot_dict, inst_req_info)
        initial = UserDataUtil.create_initial_param_dict(base_hot_dict)
        final = UserDataUtil.create_final_param_dict(
            initial, UserDataUtil.create_vdu_flavor_capability_name_dict(vnfd_dict),
            UserDataUtil.create_sw_image_dict(vnfd_dict), UserDataUtil.create_network_dict(inst_req_info, initial))
        return {**final, **more, "size": UserDataUtil.create_desired_capacity_dict(base_hot_dict, vnfd_dict, inst_req_info),
                "ram": UserDataUtil.create_vdu_flavor_dict(vnfd_dict), "granted": UserDataUtil.create_vdu_image_dict(grant_info),
                "seen": [inst_req_info.flavour_id, inst_req_info.vim_connection_info[0].vim_id, inst_req_info.localization_language, sorted(base_hot_dict)]}
`
	made, err := r.Run(t.Context(), Call{
		Files: map[string][]byte{"UserData/__init__.py": nil, "UserData/own.py": []byte(script)}, Path: "./UserData/own.py",
		Class: "Own", Told: told(),
	})
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"nfv": map[string]any{
			"VDU": map[string]any{"node": map[string]any{"flavor": "m1.small", "image": "image-1"}},
			"CP": map[string]any{"node_CP": map[string]any{
				"network": "net-1", "fixed_ips": []any{map[string]any{"subnet": "sub", "ip_address": "10.0.0.7"}},
			}},
		},
		"key": "hunter2-of-the-request", "size": map[string]any{"workers": 2.0}, "granted": map[string]any{"node": "granted"},
		"ram":  map[string]any{"node": map[string]any{"vcpus": 2.0, "ram": 4096.0}},
		"seen": []any{"simple", "v", nil, []any{"heat_template", "nested.yaml"}},
	}, made.Parameters)
	require.Empty(t, made.Template)
}

func TestRun_aClassOfV2UsesWhatTackersClassesUse(t *testing.T) {
	r := newRunner(t)
	script := `import yaml

from tacker.sol_refactored.common import common_script_utils
from tacker.sol_refactored.common import vnf_instance_utils as inst_utils
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils


class Own(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        vnfd = common_script_utils.get_vnfd(inst['vnfdId'], tmp_csar_dir)
        hot = vnfd.get_base_hot(req['flavourId'])
        nfv = common_script_utils.init_nfv_dict(hot['template'])
        for name, value in nfv['VDU'].items():
            value['flavor'] = common_script_utils.get_param_flavor(name, req['flavourId'], vnfd, grant)
            value['image'] = common_script_utils.get_param_image(name, req['flavourId'], vnfd, grant)
            value['locationConstraints'] = common_script_utils.get_param_zone(name, grant_req, grant)
            value['desired_capacity'] = common_script_utils.get_param_capacity(name, inst, grant_req)
        for name, value in nfv['CP'].items():
            value['network'] = common_script_utils.get_param_network(name, grant, req)
            value['fixed_ips'] = common_script_utils.get_param_fixed_ips(name, grant, req)
        common_script_utils.apply_ext_managed_vls(hot['template'], req, grant)
        nfv = inst_utils.json_merge_patch(nfv, {'CP': {'node_CP': {'fixed_ips': None, 'more': 1}}})
        with open(tmp_csar_dir + '/note.txt') as note:
            nfv['note'] = note.read()
        return {'template': yaml.safe_dump(hot['template']), 'parameters': {'nfv': nfv},
                'files': {name: yaml.safe_dump(text) for name, text in hot['files'].items()}}

    @staticmethod
    def scale(req, inst, grant_req, grant, tmp_csar_dir):
        pass
`
	made, err := r.Run(t.Context(), Call{
		Files: map[string][]byte{"UserData/own.py": []byte(script), "note.txt": []byte("read")}, Path: "UserData/own.py",
		Class: "Own", Told: told(),
	})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"nfv": map[string]any{
		"VDU": map[string]any{"node": map[string]any{
			"flavor": "m1.small", "image": "granted", "locationConstraints": "west", "desired_capacity": 2.0,
		}},
		"CP": map[string]any{"node_CP": map[string]any{"network": "net-1", "more": 1.0}}, "note": "read",
	}}, made.Parameters)
	require.Contains(t, made.Template, "AutoScalingGroup")
	require.Contains(t, made.Files, "nested.yaml")
}

func TestRun_theScriptReachesNothing(t *testing.T) {
	r := newRunner(t)
	secret := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(secret, []byte("the worker's keys"), 0o600))
	t.Setenv("WINDLASS_KEYS", "also the worker's")
	for name, lines := range map[string][]string{
		"the network":           {"import socket", "socket.socket(socket.AF_INET, socket.SOCK_STREAM)"},
		"a socket of the host":  {"import socket", "socket.socket(socket.AF_UNIX).connect('/run/dbus/system_bus_socket')"},
		"another process":       {"import os", "os.fork()"},
		"a program":             {"import subprocess", "subprocess.run(['/bin/true'])"},
		"files of the host":     {"open('/etc/passwd').read()"},
		"files of the worker":   {"open('" + secret + "').read()"},
		"the environment of it": {"import os", "open('/proc/%d/environ' % os.getppid()).read()"},
		"processes":             {"import os", "os.listdir('/proc')"},
		"to write":              {"open('new', 'w')"},
		"to write elsewhere":    {"open('/tmp/windlass-new', 'w')"},
		"to change":             {"open('UserData/own.py', 'a')"},
		"to change modes":       {"import os", "os.chmod('UserData/own.py', 0o777)"},
		"to delete":             {"import os", "os.remove('UserData/own.py')"},
		"to rename":             {"import os", "os.rename('UserData/own.py', 'UserData/other.py')"},
		"to make a directory":   {"import os", "os.mkdir('d')"},
		"to signal":             {"import os", "os.kill(os.getppid(), 0)"},
		"to signal by a file":   {"import fcntl, os", "fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())"},
		"to raise its limits":   {"import resource", "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))"},
		"to become another":     {"import os", "os.setuid(1)"},
		"its threads":           {"import os", "os.listdir('/proc/self/task')"},
		"to mount": {"import ctypes", "if ctypes.CDLL(None, use_errno=True).mount(b'a', b'/', b'tmpfs', 0, " +
			"None): raise PermissionError(ctypes.get_errno())"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.body(t, lines...)
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			require.Regexp(t, `UserData/own.py:\d+: (PermissionError|OSError|BlockingIOError|ValueError|ModuleNotFoundError)`,
				err.Error())
		})
	}
	made, err := r.body(t, "import os, threading", "t = threading.Thread(target=lambda: None)", "t.start()", "t.join()",
		"return {'env': sorted(k for k in os.environ if k not in ('LANG', 'LC_CTYPE')), 'here': sorted(os.listdir('.'))}")
	require.NoError(t, err, "what does no harm is allowed")
	require.Equal(t, map[string]any{"env": []any{}, "here": []any{"UserData"}}, made.Parameters)
	require.NoFileExists(t, "/tmp/windlass-new")
}

func TestRun_tellsWhatAScriptDoesWrong(t *testing.T) {
	r := newRunner(t)
	const who = "The user data class Own of the VNF package (./UserData/own.py) "
	for want, lines := range map[string][]string{
		who + "has failed: UserData/own.py:4: KeyError: 'nothing'.":       {"return vnfd_dict['nothing']"},
		who + "has failed: UserData/own.py:4: ValueError: secret is ***.": {"raise ValueError('secret is ' + inst_req_info.additional_params['key'])"},
		who + "has failed: UserData/own.py:4: ValueError: one  two.":      {"raise ValueError('one\\x00\\x1btwo')"},
		who + "has failed: UserData/own.py:5: SystemExit: 3.": {
			"import sys",
			"sys.exit(3)",
		},
		who + "has returned a list, not a dict with the parameters of the stack.":      {"return []"},
		who + "has returned a NoneType, not a dict with the parameters of the stack.":  {"pass"},
		who + "has failed: TypeError: Object of type object is not JSON serializable.": {"return {'a': object()}"},
		who + "needs more than its limit of 512 MiB of memory.": {
			"return {'a': len(bytearray(1 << 30))}",
		},
		who + "has ended without an answer.": {
			"import os",
			"os._exit(0)",
		},
		"The user data script was stopped: it has made more than 4 MiB of parameters and templates.": {"return {'a': 'x' * (5 << 20)}"},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := r.body(t, lines...)
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			require.Equal(t, want, lcm.Sentence(err))
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
	for want, call := range map[string]Call{
		"AttributeError: module 'UserData.own' has no attribute 'Other'": {Path: "UserData/own.py", Class: "Other"},
		"ModuleNotFoundError: No module named 'UserData.gone'":           {Path: "UserData/gone.py", Class: "Own"},
		"SyntaxError":                     {Path: "UserData/bad.py", Class: "Own"},
		"takes neither the 4 arguments":   {Path: "UserData/odd.py", Class: "Own"},
		"is not the path of a Python":     {Path: "../../etc/x.py/../y", Class: "Own"},
		`"UserData/own.txt" is not the p`: {Path: "UserData/own.txt", Class: "Own"},
	} {
		t.Run(want, func(t *testing.T) {
			call.Told = told()
			call.Files = map[string][]byte{
				"UserData/own.py": []byte("x = 1\n"), "UserData/bad.py": []byte("def f(:\n"),
				"UserData/odd.py": []byte("class Own:\n    def instantiate(a):\n        pass\n"),
			}
			_, err := r.Run(t.Context(), call)
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			require.ErrorContains(t, err, want)
		})
	}
}

func TestRun_stopsAScriptThatTakesTooLong(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.Time = 2 * time.Second
	for name, lines := range map[string][]string{
		"computing": {"while True: pass"},
		"sleeping":  {"import time", "time.sleep(3600)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := r.body(t, lines...)
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			require.ErrorContains(t, err, "ran longer than its limit of 2s (userData.timeout)")
		})
	}
}

func TestRun_withoutPythonSaysWhichSetting(t *testing.T) {
	_, err := (&Runner{Python: "/nowhere/python3"}).Run(t.Context(), Call{Path: "a.py", Class: "A"})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.ErrorContains(t, err, "there is no Python at /nowhere/python3. See userData.python.")

	_, err = (&Runner{Python: "/bin/false"}).Run(t.Context(), Call{Path: "a.py", Class: "A"})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.ErrorContains(t, err, "userData.python")
}
