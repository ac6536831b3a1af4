package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestRestored_isTheVnfAsItWasWithWhatIsThereNow(t *testing.T) {
	j := reconnecting(t)
	j.Instance.VimConnections, j.Instance.Extensions = []lcm.VimConnectionInfo{{ID: "openstack"}}, map[string]any{"a": "b"}
	j.Instance.Instantiated.FlavourID, j.Instance.Instantiated.Granted = "simple", &lcm.GrantedChoices{}
	port := Attached{Type: lcm.GrantLinkPort, Resource: "cp", ID: "port-2", MAC: "fa:16:3e:00:00:01"}
	got := j.restored(Outcome{
		Restored: true,
		Vnfcs:    []Vnfc{{VduID: "node", ServerID: "server", Attached: []Attached{port}}},
	})
	require.Equal(t, []lcm.ExtVirtualLink{{
		ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "cp"}, {CpdID: "other"}},
	}}, got.Info.ExtVirtualLinks, "the links are the former ones")
	require.Equal(t, "port-2", got.Info.ExtCps[0].ExtLinkPortID)
	require.Equal(t, []lcm.AttachedResource{{
		VnfcID: "server", Type: lcm.GrantLinkPort, TemplateID: "cp", ResourceID: "port-2",
	}}, got.Info.Attached)
	require.Equal(t, "simple", got.Info.FlavourID)
	require.NotNil(t, got.Info.Granted)
	require.Equal(t, j.Instance.Extensions, got.Extensions)
	require.Equal(t, j.Instance.VimConnections, got.VimConnections)
}

func TestRestored_hasTheVimConnectionsThatThereWere(t *testing.T) {
	j := reconnecting(t)
	j.FormerVims = []lcm.VimConnectionInfo{{ID: "openstack", VimID: "vim", VimType: "openstack"}}
	j.Instance.VimConnections = []lcm.VimConnectionInfo{{ID: "openstack", VimID: "another", VimType: "openstack"}}
	require.Equal(t, j.FormerVims, j.restored(Outcome{Restored: true}).VimConnections)
}
