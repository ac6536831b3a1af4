package kubenode_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// registrySite returns one worker that must pull from two registries.
func registrySite(
	t *testing.T, list ...k8s.PrivateRegistry,
) (activitytest.Site, *activitytest.FakeSite, *activitytest.FakeNode, *kubenode.Activities) {
	t.Helper()
	s, fake, _, _ := activitytest.NewFake(t, 0, 1, func(p *k8s.Params) { p.PrivateRegistries = list })
	ca := activitytest.SelfSigned(t)
	s.Reach.Vnfs.(*activitytest.FixedVnf).Context.PackageFile = func(_ context.Context, path string) ([]byte, error) {
		return map[string][]byte{
			"ca.crt":  []byte(ca),
			"key.pem": []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
		}[path], nil
	}
	return s, fake, fake.Nodes[s.Nodes[0].Name], &kubenode.Activities{Reach: s.Reach}
}

func toRegistries(s activitytest.Site, former bool) kubenode.ConnectRegistriesInput {
	return kubenode.ConnectRegistriesInput{NodeInput: s.Tracked(s.Nodes[0]), Former: former}
}

var (
	plainRegistry = k8s.PrivateRegistry{
		ConnectionType: "0", Server: "192.168.0.10:5000", HostsString: "192.168.0.20  registry.example.com",
	}
	tlsRegistry = k8s.PrivateRegistry{
		ConnectionType: "1", Server: "registry.example.com", Username: "user01", Password: lcm.Secret{Clear: "hunter2\""},
		CertificatePath: "ca.crt",
		HostsString:     "192.168.0.20 registry.example.com",
	}
)

func TestConnectRegistries_setsEachOnceAndAsksIt(t *testing.T) {
	s, fake, node, nodes := registrySite(t, plainRegistry, tlsRegistry)
	node.Files[scripts.ContainerdProxy] = "HTTP_PROXY=http://u:secret1@proxy.example:3128\nHTTPS_PROXY=http://proxy.example:3128\nNO_PROXY=192.168.0.0/24\n"
	node.Files[scripts.KubeletCredentials] = `{"auths":{"other.example.com":{"auth":"eDp5"}},"credHelpers":{}}`
	node.Files[scripts.DockerConfiguration] = `{"log-driver":"local","insecure-registries":["lab.example.com"]}`
	for range 2 {
		assert.Equal(t, 2, activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, false)).Registries)
	}
	assert.Equal(t, []string{"connect " + s.Nodes[0].Name}, fake.Effects, "the second time nothing changes")
	require.Len(t, fake.Ran, 4)
	connect, check := activitytest.ReadStdin(fake.Ran[2].Stdin), activitytest.ReadStdin(fake.Ran[3].Stdin)

	_, params := activitytest.ReadScript(fake.Ran[2].Script)
	assert.Equal(t, "192.168.0.10:5000 registry.example.com", params["SERVERS"])
	assert.Equal(t, "192.168.0.20 registry.example.com", params["REGISTRY_HOSTS"], "once")
	assert.Contains(t, connect["hosts.0"], `server = "http://192.168.0.10:5000"`)
	assert.Contains(t, connect["hosts.1"], `ca = "ca.crt"`)
	assert.Contains(t, connect["ca.1"], "CERTIFICATE")
	auth := base64.StdEncoding.EncodeToString([]byte(`user01:hunter2"`))
	assert.JSONEq(
		t,
		`{"auths":{"other.example.com":{"auth":"eDp5"},"registry.example.com":{"auth":"`+auth+`"}},"credHelpers":{}}`,
		connect["credentials"],
	)
	assert.JSONEq(t, `{"log-driver":"local","insecure-registries":["lab.example.com","192.168.0.10:5000"]}`,
		node.Files[scripts.DockerConfiguration])
	assert.JSONEq(
		t,
		`{"servers":["192.168.0.10:5000","registry.example.com"],"insecure":["192.168.0.10:5000"],"kubelet":["registry.example.com"],"docker":["registry.example.com"]}`,
		connect["after"],
	)
	assert.JSONEq(
		t,
		`{"servers":["192.168.0.10:5000","registry.example.com"],"kubelet":["registry.example.com"],"docker":[]}`,
		connect["after.bare"],
	)

	_, params = activitytest.ReadScript(fake.Ran[3].Script)
	assert.Equal(t, "http://192.168.0.10:5000 https://registry.example.com", params["URLS"])
	assert.Contains(t, check["curl.0"], `noproxy = "*"`)
	assert.NotContains(t, check["curl.0"], "user = ")
	assert.Contains(t, check["curl.1"], `user = "user01:hunter2\""`)
	assert.Contains(t, check["curl.1"], `proxy = "http://proxy.example:3128"`)
	for _, cmd := range fake.Ran {
		assert.NotContains(t, cmd.Script, "hunter2", "no secret in a parameter")
		assert.Subset(t, cmd.Mask, []string{`hunter2"`, `user01:hunter2"`, "secret1"})
	}
}

func TestConnectRegistries_takesTheCAOfTheRequest(t *testing.T) {
	inline := tlsRegistry
	inline.CertificatePath, inline.CACertificate = "", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"
	s, fake, _, nodes := registrySite(t, inline)
	activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, false))
	for _, cmd := range fake.Ran { // the command that sets it, and the command that reads it
		assert.Equal(t, inline.CACertificate+"\n", activitytest.ReadStdin(cmd.Stdin)["ca.0"])
	}
	assert.Contains(t, activitytest.ReadStdin(fake.Ran[0].Stdin)["hosts.0"], `ca = "ca.crt"`)
}

func TestConnectRegistries_takesAwayWhatIsNotAskedForAnyMore(t *testing.T) {
	s, fake, node, nodes := registrySite(t, plainRegistry, tlsRegistry)
	node.Files[scripts.KubeletCredentials] = `{"auths":{"other.example.com":{"auth":"eDp5"}}}`
	node.Files[scripts.DockerConfiguration] = `{"log-driver":"local"}`
	activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, false))

	vnf := s.Reach.Vnfs.(*activitytest.FixedVnf)
	former, err := json.Marshal(map[string]any{
		k8s.ParamsKey: map[string]any{lcm.RegistriesKey: vnf.Params.PrivateRegistries},
	})
	require.NoError(t, err)
	vnf.Context.Former.Instantiated = &lcm.InstantiatedVnfInfo{AdditionalParams: former}
	vnf.Params.PrivateRegistries = nil
	fake.Ran = nil
	for range 2 {
		activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, false))
	}
	require.Len(t, fake.Ran, 2, "nothing is there to be asked")
	_, params := activitytest.ReadScript(fake.Ran[0].Script)
	assert.Equal(t, "192.168.0.10:5000 registry.example.com", params["GONE"])
	assert.Equal(t, "registry.example.com", params["DOCKER_GONE"], "the other has no certificate")
	_, params = activitytest.ReadScript(fake.Ran[1].Script)
	assert.Empty(t, params["GONE"])
	assert.JSONEq(t, `{"auths":{"other.example.com":{"auth":"eDp5"}}}`, node.Files[scripts.KubeletCredentials])
	assert.JSONEq(t, `{"log-driver":"local","insecure-registries":[]}`, node.Files[scripts.DockerConfiguration])
	assert.JSONEq(t, `{"servers":null,"docker":[]}`, node.Files[scripts.RegistriesState])

	fake.Ran = nil
	activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, true))
	require.Len(t, fake.Ran, 1, "what is undone is not held up by a registry")
	assert.Contains(t, node.Files[scripts.KubeletCredentials], "registry.example.com")
}

func TestConnectRegistries_saysWhyARegistryCannotBeUsed(t *testing.T) {
	failure := func(class, server, sentence string) []string {
		return activitytest.Results("failure", base64.StdEncoding.EncodeToString([]byte(class+"|"+server+"|"+sentence)))
	}
	for name, c := range map[string]struct {
		says []string
		kind lcm.ErrorKind
	}{
		"away": {failure("away", "192.168.0.10:5000", "does not answer (refused)"), lcm.KindUnavailable},
		"wrong user": {
			failure("denied", "registry.example.com", "refuses the user name or the password (401)"),
			lcm.KindDenied,
		},
		"unknown CA": {failure("untrusted", "registry.example.com", "has a certificate | of nobody"), lcm.KindBroken},
		"some of these": {
			append(failure("away", "a.example.com", "x"), failure("denied", "registry.example.com", "y")...),
			lcm.KindDenied,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, fake, _, nodes := registrySite(t, plainRegistry, tlsRegistry)
			fake.Replies["check-registries"] = c.says
			_, err := activitytest.Do(t, nodes.ConnectRegistries, toRegistries(s, false))
			activitytest.AssertKind(t, err, c.kind, s.Nodes[0].Name+" cannot pull")
			for _, text := range scripts.ParseResults(strings.Join(c.says, "\n")).Texts("failure") {
				assert.ErrorContains(t, err, strings.SplitN(text, "|", 3)[2])
			}
		})
	}
}

func TestConnectRegistries_readsNoFileThatIsNotOne(t *testing.T) {
	for path, content := range map[string]string{
		scripts.KubeletCredentials: "null", scripts.DockerConfiguration: `{"insecure-registries":"x"}`,
		scripts.RegistriesState: "[",
	} {
		s, fake, node, nodes := registrySite(t, plainRegistry)
		node.Files[path] = content
		_, err := activitytest.Do(t, nodes.ConnectRegistries, toRegistries(s, false))
		activitytest.AssertKind(t, err, lcm.KindBroken, path)
		assert.Empty(t, fake.Ran)
	}
	s, fake, _, nodes := registrySite(t, k8s.PrivateRegistry{
		ConnectionType: "1", Server: "a.example.com", CertificatePath: "key.pem",
	})
	_, err := activitytest.Do(t, nodes.ConnectRegistries, toRegistries(s, false))
	activitytest.AssertKind(t, err, lcm.KindInvalid, "private key")
	assert.Empty(t, fake.Ran)
}

func TestConnectRegistries_keepsItsNotesFromBecomingPaths(t *testing.T) {
	s, fake, node, nodes := registrySite(t)
	state, err := json.Marshal(map[string]any{"servers": []string{"../../etc", "old.example.com"}})
	require.NoError(t, err)
	node.Files[scripts.RegistriesState] = string(state)
	activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, false))
	_, params := activitytest.ReadScript(fake.Ran[0].Script)
	assert.Equal(t, "old.example.com", params["GONE"])
	assert.Equal(t, "old.example.com", params["DOCKER_GONE"], "an earlier release's state does not say what is Docker's")

	node.Files[scripts.RegistriesState] = `{"servers":["old.example.com"],"docker":["../x"]}`
	activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, false))
	_, params = activitytest.ReadScript(fake.Ran[1].Script)
	assert.Empty(t, params["DOCKER_GONE"])
}

func TestConnectRegistries_passesADeadNodeOverWhenItIsUndone(t *testing.T) {
	s, fake, node, nodes := registrySite(t, plainRegistry)
	dial := "dial " + node.Node.Name
	in := toRegistries(s, true)
	for name, err := range map[string]error{
		"away":             lcm.Errorf(lcm.KindUnavailable, "No route to host."),
		"off":              lcm.Wrap(lcm.KindBroken, reach.ErrServerOff, "its server is SHUTOFF"),
		"another host key": lcm.Errorf(lcm.KindDenied, "shows another SSH host key"),
	} {
		in.PassOver = false
		fake.Fail[dial] = []error{err, err}
		_, failure := activitytest.Do(t, nodes.ConnectRegistries, in)
		require.Error(t, failure, name)
		in.PassOver = true
		assert.True(t, activitytest.Must(t, nodes.ConnectRegistries, in).Unreachable, name)
	}
	assert.Empty(t, fake.Ran)
	fake.Fail["connect-registries"] = []error{lcm.Errorf(lcm.KindBroken, "containerd does not restart")}
	_, err := activitytest.Do(t, nodes.ConnectRegistries, in)
	require.ErrorContains(t, err, "containerd does not restart", "it is there")
	assert.False(t, activitytest.Must(t, nodes.ConnectRegistries, in).Unreachable)
}

func TestReachNode_saysThatNothingHasBeenChanged(t *testing.T) {
	s, fake, node, nodes := registrySite(t, plainRegistry)
	in := s.Tracked(s.Nodes[0])
	for range 2 {
		activitytest.Must(t, nodes.ReachNode, in)
	}
	dial := "dial " + node.Node.Name
	fake.Fail[dial] = []error{lcm.Errorf(lcm.KindUnavailable, "%s: 10.0.0.9 does not answer on SSH", node.Node.Name)}
	_, err := activitytest.Do(t, nodes.ReachNode, in)
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "does not answer on SSH. The operation has changed no node yet")
	fake.Fail[dial] = []error{lcm.Wrap(lcm.KindBroken, reach.ErrServerOff, "its server is SHUTOFF")}
	_, err = activitytest.Do(t, nodes.ReachNode, in)
	activitytest.AssertKind(t, err, lcm.KindBroken, "The operation has changed no node yet")
	fake.Fail[dial] = []error{lcm.Errorf(lcm.KindDenied, "refuses to log in")}
	_, err = activitytest.Do(t, nodes.ReachNode, in)
	activitytest.AssertKind(t, err, lcm.KindDenied, "refuses to log in")
	assert.Empty(t, fake.Ran)
}

func TestConnectRegistries_wantsTheManifestOfTheImageThatIsNamed(t *testing.T) {
	withImage := tlsRegistry
	withImage.TestImage = "edge/app:1.0"
	s, fake, _, nodes := registrySite(t, plainRegistry, withImage)
	output := s.Reach.Output.(*activitytest.Output)
	manifest := func(text string) []string {
		return activitytest.Results("manifest", base64.StdEncoding.EncodeToString([]byte(text)))
	}
	fake.Replies["check-registries"] = manifest("registry.example.com edge/app:1.0")
	for range 2 {
		assert.Equal(
			t,
			[]string{"192.168.0.10:5000"},
			activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, false)).Unseen,
		)
	}
	_, params := activitytest.ReadScript(fake.Ran[1].Script)
	assert.Equal(t, "- /v2/edge/app/manifests/1.0", params["MANIFESTS"])
	assert.Contains(t, output.Shown[len(output.Shown)-1], "Windlass got no manifest from 192.168.0.10:5000;")

	fake.Replies["check-registries"] = append(manifest("registry.example.com edge/app:1.0"),
		manifest("192.168.0.10:5000 a:b")...)
	assert.Empty(t, activitytest.Must(t, nodes.ConnectRegistries, toRegistries(s, false)).Unseen)
	assert.NotContains(t, output.Shown[len(output.Shown)-1], "no manifest")

	fake.Replies["check-registries"] = activitytest.Results("failure",
		base64.StdEncoding.EncodeToString([]byte("wrong|registry.example.com|does not have test_image edge/app:1.0 (404)")))
	_, err := activitytest.Do(t, nodes.ConnectRegistries, toRegistries(s, false))
	activitytest.AssertKind(
		t,
		err,
		lcm.KindBroken,
		s.Nodes[0].Name+" cannot pull from all its registries: registry.example.com "+
			"does not have test_image edge/app:1.0 (404). Mend",
	)
	fake.Replies["check-registries"] = nil
	_, err = activitytest.Do(t, nodes.ConnectRegistries, toRegistries(s, false))
	activitytest.AssertKind(
		t,
		err,
		lcm.KindBroken,
		"registry.example.com did not return the manifest of test_image edge/app:1.0",
	)
}
