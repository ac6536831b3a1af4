package openstack

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/openstack/openstacktest"
)

// cloudFile is the variable that names a file about a real OpenStack: the cloud.json that tests/support/openstack
// writes, or a file of the same form.
const cloudFile = "WINDLASS_TEST_OPENSTACK"

// realCloud is the content of that file.
type realCloud struct {
	AuthURL      string `json:"auth_url"`       // with TLS
	PlainAuthURL string `json:"auth_url_plain"` // without
	CAFile       string `json:"ca_file"`
	Region       string `json:"region"`
	Nowhere      string `json:"region_nowhere"` // its endpoints refuse every connection
	Domain       string `json:"domain"`
	Project      string `json:"project"`
	User         string `json:"user"`
	Password     string `json:"password"`
	GuestUser    string `json:"guest_user"`
	// The following fields have defaults.
	Image   string `json:"contract_image"`
	Flavor  string `json:"contract_flavor"`
	Network string `json:"contract_network"`
}

func TestContract_realOpenStack(t *testing.T) {
	path := os.Getenv(cloudFile)
	if path == "" {
		t.Skipf("set %s to the cloud.json of a running tests/support/openstack to check a real OpenStack", cloudFile)
	}
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	cloud := realCloud{Image: "tiny", Flavor: "m1.tiny", Network: "net0"}
	require.NoError(t, json.Unmarshal(raw, &cloud))
	authority, err := os.ReadFile(cloud.CAFile)
	require.NoError(t, err)
	const patience = 5 * time.Minute // guests may be emulated
	openstacktest.Run(t, openstacktest.Cloud{
		Vim: lcm.Vim{
			Name: "real", Type: lcm.VimOpenStack, AuthURL: cloud.AuthURL, Regions: []string{cloud.Region},
			Project: map[string]any{"name": cloud.Project, "project_domain_name": cloud.Domain},
		},
		Cred: map[string]any{
			"username": cloud.User, "password": cloud.Password, "user_domain_name": cloud.Domain,
			"ca_cert": string(authority),
		},
		PlainAuthURL: cloud.PlainAuthURL, Nowhere: cloud.Nowhere,
		Image: cloud.Image, Flavor: cloud.Flavor, Network: cloud.Network,
		SizeOf: diskOf(cloud.GuestUser, patience), Patience: patience,
	})
}
