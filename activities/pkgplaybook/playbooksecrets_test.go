package pkgplaybook

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/ansible"
)

func TestSecretsOf_areThoseInsideOfAnAttribute(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		variable, value string
		hidden          []string
	}{
		"an address":                  {"resource.cp.first_address", `"192.0.2.7"`, nil},
		"a password":                  {"resource.vm.admin_pass", `"hunter2"`, []string{"hunter2"}},
		"a number that is one":        {"resource.vm.admin_pass", `4711`, []string{"4711"}},
		"the URL of an alarm":         {"resource.a.alarm_url", `"https://x?Signature=1"`, []string{"https://x?Signature=1"}},
		"below a name that says so":   {"resource.vm.secret.of.root", `"hunter2"`, []string{"hunter2"}},
		"in a list of maps":           {"resource.vm.users", `[{"name": "root", "password": "hunter2", "id": 7}]`, []string{"hunter2"}},
		"deep in a list":              {"resource.vm.users", `[{"logins": [{"ssh": {"private_key": ["a1b2", "c3d4"]}}]}]`, []string{"a1b2", "c3d4"}},
		"a number in a list of maps":  {"resource.vm.users", `[{"password": 471100}]`, []string{"471100"}},
		"a time beside a token":       {"resource.vm.logins", `[{"token": {"id": "tok1", "expires": 3600, "on": true}}]`, []string{"tok1"}},
		"in a text of JSON":           {"resource.v.value", `"{\"db\": {\"password\": \"hunter2\", \"user\": \"root\"}}"`, []string{"hunter2"}},
		"a list of passwords":         {"resource.vm.passwords", `["hunter2", "hunter3"]`, []string{"hunter2,hunter3", "hunter2", "hunter3"}},
		"the names in a map":          {"resource.vm.users", `{"password": "hunter2"}`, nil},
		"a URL with a password":       {"resource.v.value", `"postgres://u:hunter2@db"`, []string{"postgres://u:hunter2@db", "hunter2"}},
		"such a URL in a list":        {"resource.v.urls", `[{"at": "http://u:hunter2@db"}]`, []string{"http://u:hunter2@db", "hunter2"}},
		"what only looks like JSON":   {"resource.v.value", `"[not JSON"`, nil},
		"the number of a port":        {"resource.vm.port", `8080`, nil},
		"names of resources":          {"vnf_resource.VDUNAME_LIST", `"db,web"`, nil},
		"what is nothing in a secret": {"resource.vm.users", `[{"password": null}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var value any
			require.NoError(t, json.Unmarshal([]byte(c.value), &value))
			hidden := secretsOf(c.variable, ansible.AttributeText(value), value)
			slices.Sort(hidden)
			slices.Sort(c.hidden)
			require.Equal(t, c.hidden, slices.Compact(hidden))
		})
	}
}
