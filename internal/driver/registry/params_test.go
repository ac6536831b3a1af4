package registry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/requests"
)

func TestRegistryServerParams_areReadAsInTheSeed(t *testing.T) {
	p, problems := checked(json.RawMessage(`{"private_registry_installation_param": {
		"ssh_cp_name": "CP1", "ssh_username": "ubuntu", "ssh_password": "hunter2", "image_path": "Files/images/private_registry.tar"}}`))
	require.Empty(t, problems)
	assert.Equal(t, 5000, p.Port)
	assert.Equal(t, "Files/images/private_registry.tar", p.ImagePath)
	assert.Equal(t, "hunter2", p.Password.Clear)
	assert.Equal(t, 600, p.Timeouts.SSH)
}

func TestRegistryServerParams_everyMistakeIsToldAtOnce(t *testing.T) {
	_, problems := checked(json.RawMessage(`{"private_registry_installation_param": {
		"ssh_username": "a b", "image_path": "/etc/passwd", "port_no": "22", "image": "a b", "proxy": {"http_proxy": "hunter2", "no_proxy": "a\\nLD_PRELOAD=b", "k8s_node_cidr": "a b"}, "tls": {"private_key": "hunter2", "host_names": ["a"], "validity_days": 3},
		"volume": {"mount_to": "/etc/x"},
		"users": [{"username": "a:b"}, {"username": "u", "password": "` + strings.Repeat("x", 73) + `"}, {"username": "u", "password": "p"}, 7],
		"timeouts": {"ssh": -1}, "colour": "red"}}`))
	assert.ElementsMatch(t, []string{
		".ssh_cp_name", ".ssh_username", ".ssh_password", ".image_path", ".port_no", ".image", ".proxy.http_proxy",
		".proxy.no_proxy", ".proxy.k8s_node_cidr", ".tls.certificate_path",
		".tls.private_key", ".tls.host_names", ".tls.validity_days", ".volume.volume_resource_id", ".volume.mount_to",
		".users[0].username", ".users[0].password", ".users[1].password", ".users[2].username", ".users[3]", ".timeouts.ssh",
		".colour",
	}, relative(problems, "$.additionalParams.private_registry_installation_param"))
	for _, p := range problems {
		assert.NotContains(t, p.Detail, "hunter2")
	}
	for _, doc := range []string{``, `{}`, `{"private_registry_installation_param": null}`} {
		_, problems = checked(json.RawMessage(doc))
		require.Len(t, problems, 1, doc)
		_, err := parsed(json.RawMessage(doc))
		assert.True(t, lcm.Is(err, lcm.KindInvalid))
	}
}

func TestRegistryServerParams_letWindlassMakeTheCertificate(t *testing.T) {
	check := func(tls, volume string) (registry.Params, []string) {
		p, problems := checked(json.RawMessage(`{"private_registry_installation_param": {
			"ssh_cp_name": "CP1", "ssh_username": "ubuntu", "ssh_password": "x", "port_no": 443, "tls": ` + tls + `, "volume": ` + volume + `}}`))
		return p, relative(problems, "$.additionalParams.private_registry_installation_param")
	}
	p, problems := check(`{"generate": true, "host_names": ["Registry.example.com", "192.0.2.7", "images"]}`,
		`{"volume_resource_id": "vol"}`)
	require.Empty(t, problems)
	assert.Equal(t, 3650, p.TLS.ValidityDays)
	assert.Equal(t, &k8s.CinderVolumeParams{VolumeResourceID: "vol", MountTo: "/registry"}, p.Volume)
	assert.True(t, p.HasVolume())
	assert.False(t, (*registry.Params)(nil).HasVolume())
	machine := lcm.Node{Address: "10.0.0.5", SSHAddress: "198.51.100.5"}
	assert.Equal(t, k8s.PrivateRegistry{
		ConnectionType: "1", Server: "Registry.example.com:443", HostsString: "198.51.100.5 Registry.example.com images",
		CACertificate: "CA",
	}, p.Connection(machine, "CA\n"))
	assert.Empty(t, k8s.RegistryServerProblem(p.Connection(machine, "").Server), "a cluster takes it as it is")
	p.TLS = nil
	assert.Equal(t, k8s.PrivateRegistry{ConnectionType: "0", Server: "198.51.100.5:443"}, p.Connection(machine, ""))

	_, problems = check(`{"generate": "true", "certificate_path": "a", "private_key": "b", "validity_days": 4000, "host_names": ["a_b", "a", "A", "fe80::1%eth0", "`+strings.Repeat("a.", 130)+`a"]}`,
		`{"volume_resource_id": "vol", "mount_to": "../x"}`)
	assert.ElementsMatch(t, []string{
		".tls.certificate_path", ".tls.private_key", ".tls.validity_days", ".tls.host_names[0]", ".tls.host_names[2]",
		".tls.host_names[3]", ".tls.host_names[4]",
		".volume.mount_to",
	}, problems)
	_, problems = check(`{"generate": 1}`, `{"mount_to": "/var/lib", "size": 3}`)
	assert.ElementsMatch(t, []string{
		".tls.generate", ".tls.certificate_path", ".tls.private_key",
		".volume.volume_resource_id", ".volume.mount_to", ".volume.size",
	}, problems)
}

func TestHealRequest_saysWhetherVolumesAreKept(t *testing.T) {
	type said struct {
		keep bool
		by   string
	}
	for body, want := range map[string]said{
		`{}`: {}, `{"additionalParams":{}}`: {}, `{"additionalParams":{"keep_volumes":null,"all":null}}`: {},
		`{"additionalParams":{"keep_volumes":false}}`:  {false, "keep_volumes"},
		`{"additionalParams":{"keep_volumes":"true"}}`: {true, "keep_volumes"},
		`{"additionalParams":{"all":false}}`:           {true, "all"}, `{"additionalParams":{"all":"true"}}`: {false, "all"},
		`{"additionalParams":{"all":false,"keep_volumes":true}}`: {true, "keep_volumes"},
	} {
		req, err := lcmtest.Read[lcm.HealRequest]([]byte(body))
		require.NoError(t, err)
		keep, by := req.KeepsVolumes()
		assert.Equal(t, want, said{keep, by}, body)
	}
}

func TestHealProblems_refusesAllThatContradictsKeepVolumes(t *testing.T) {
	for params, want := range map[string]string{
		`{"all":"perhaps"}`: "true or false", `{"all":true,"keep_volumes":true}`: "contradicts",
		`{"all":false,"keep_volumes":"false"}`: "contradicts", `{"all":true,"keep_volumes":false}`: "",
		`{"all":false}`: "", `{"all":true}`: "", `{"all":null,"keep_volumes":false}`: "",
	} {
		_, err := requests.Read(lcm.OpHeal, 1, []byte(`{"additionalParams":`+params+`}`))
		if want == "" {
			assert.NoError(t, err, params)
			continue
		}
		var wrong *lcm.Error
		require.ErrorAs(t, err, &wrong, params)
		problems := wrong.Problems
		require.Len(t, problems, 1, params)
		assert.Equal(t, "$.additionalParams.all", problems[0].Path)
		assert.Contains(t, problems[0].Detail, want)
	}
}

func relative(problems []lcm.Problem, prefix string) (out []string) {
	for _, p := range problems {
		out = append(out, strings.TrimPrefix(p.Path, prefix))
	}
	return out
}

// parsed reads parameters whose types are right.
func parsed(additionalParams json.RawMessage) (registry.Params, error) {
	p, wrong := registry.Read(additionalParams)
	return p, lcm.InvalidAll("The registry's parameters are not of the right types.", wrong.Types)
}

// checked reads parameters and lists all mistakes.
func checked(additionalParams json.RawMessage) (registry.Params, []lcm.Problem) {
	p, wrong := registry.Read(additionalParams)
	return p, wrong.With(p.Problems())
}
