package lcm_test

import (
	"encoding/base64"
	"encoding/pem"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func ownConnection() lcm.VimConnectionInfo {
	return lcm.VimConnectionInfo{
		ID: "own", VimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3",
		InterfaceInfo: map[string]any{"endpoint": "https://cloud.example.com:5000/v3"},
		AccessInfo: map[string]any{
			"username": "nfv", "password": map[string]any{lcm.SecretKey: "vnf/1/password"}, "project": "edge",
			"projectDomain": "Sites", "userDomain": "People", "region": "north",
		},
	}
}

func TestOwnProblems_namesEveryMistake(t *testing.T) {
	t.Parallel()
	require.Empty(t, ownConnection().OwnProblems("$.v"))
	for name, c := range map[string]struct {
		change func(*lcm.VimConnectionInfo)
		want   []string
	}{
		"nothing": {
			func(c *lcm.VimConnectionInfo) { c.InterfaceInfo, c.AccessInfo = nil, map[string]any{} },
			[]string{"$.v.vimId"},
		},
		"another type": {func(c *lcm.VimConnectionInfo) { c.VimType = "VMWARE.V_1" }, []string{"$.v.vimType"}},
		"no endpoint":  {func(c *lcm.VimConnectionInfo) { c.InterfaceInfo = nil }, []string{"$.v.interfaceInfo.endpoint"}},
		"no credentials": {
			func(c *lcm.VimConnectionInfo) { c.AccessInfo = nil },
			[]string{"$.v.accessInfo.username", "$.v.accessInfo.password", "$.v.accessInfo.project"},
		},
		"no URL": {
			func(c *lcm.VimConnectionInfo) { c.InterfaceInfo["endpoint"] = "cloud:5000" },
			[]string{"$.v.interfaceInfo.endpoint"},
		},
		"a user": {
			func(c *lcm.VimConnectionInfo) { c.InterfaceInfo["endpoint"] = "http://a:b@cloud/v3" },
			[]string{"$.v.interfaceInfo.endpoint"},
		},
		"other types of values": {func(c *lcm.VimConnectionInfo) {
			c.InterfaceInfo = map[string]any{
				"endpoint": 7.0, "skipCertificateVerification": "perhaps", "trustedCertificates": []any{"x"},
			}
			c.AccessInfo["password"], c.AccessInfo["region"], c.AccessInfo["project"] = map[string]any{"a": 1}, true, ""
		}, []string{
			"$.v.interfaceInfo.endpoint", "$.v.interfaceInfo.skipCertificateVerification",
			"$.v.interfaceInfo.trustedCertificates",
			"$.v.accessInfo.password", "$.v.accessInfo.region", "$.v.accessInfo.project",
		}},
		"half a check": {
			func(c *lcm.VimConnectionInfo) { c.InterfaceInfo["skipCertificateHostnameCheck"] = true },
			[]string{"$.v.interfaceInfo.skipCertificateHostnameCheck"},
		},
		"half an application credential": {
			func(c *lcm.VimConnectionInfo) { c.AccessInfo = map[string]any{"application_credential_id": "a"} },
			[]string{"$.v.accessInfo.application_credential_secret"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection := ownConnection()
			c.change(&connection)
			var got []string
			for _, p := range connection.OwnProblems("$.v") {
				require.NotEmpty(t, p.Detail)
				got = append(got, p.Path)
			}
			require.ElementsMatch(t, c.want, got)
		})
	}
}

func TestOwnVim_isWhatTheRegistryWouldHave(t *testing.T) {
	t.Parallel()
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("DER")}))
	c := ownConnection()
	c.InterfaceInfo["trustedCertificates"] = []any{certificate, base64.StdEncoding.EncodeToString([]byte(certificate))}
	c.Extra = map[string]any{"interface": "internal"}
	require.Empty(t, c.OwnProblems("$"))
	vim := c.OwnVim("vnf/own")
	require.Equal(t, []any{lcm.VimID("vnf/own"), "own", "openstack", "https://cloud.example.com:5000/v3", c.Extra},
		[]any{vim.ID, vim.Name, vim.Type, vim.AuthURL, vim.Extra})
	want := map[string]any{
		"username": "nfv", "password": c.AccessInfo["password"], "region": "north", "project_name": "edge",
		"project_domain_name": "Sites", "user_domain_name": "People", "ca_cert": certificate + certificate,
	}
	for key, value := range want {
		require.Equal(t, value, vim.AuthCred[key], key)
	}
	require.NotContains(t, vim.AuthCred, "cert_verify")

	c.InterfaceInfo = map[string]any{
		"endpoint": "https://c", "skipCertificateVerification": true, "skipCertificateHostnameCheck": "true",
	}
	c.AccessInfo = map[string]any{"application_credential_id": "id", "application_credential_secret": "secret"}
	require.Empty(t, c.OwnProblems("$"))
	require.Equal(t, map[string]any{
		"application_credential_id": "id", "application_credential_secret": "secret", "cert_verify": false,
	}, c.OwnVim("x").AuthCred)
}

func TestVimTypeOf_knowsTheStandardsNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"openstack": "openstack", "ETSINFV.OPENSTACK_KEYSTONE.V_3": "openstack", "kubernetes": "kubernetes",
		"ETSINFV.KUBERNETES.V_1": "kubernetes", "ETSINFV.HELM.V_3": "kubernetes", "other": "other",
	} {
		require.Equal(t, want, lcm.VimTypeOf(name))
		require.Equal(t, want, lcm.VimConnectionInfo{VimType: name}.Kind())
	}
}
