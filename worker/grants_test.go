package worker

import (
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func instantiating(params string) *job {
	return &job{&operations.Operation{
		OpOcc: lcm.VnfLcmOpOcc{ID: "op", Operation: lcm.OpInstantiate}, Instance: lcm.VnfInstance{ID: "vnf"},
		Request: lcm.InstantiateRequest{
			AdditionalParams: json.RawMessage(params),
			ExtVirtualLinks:  []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a"}, {ID: "b", ResourceID: "net-b"}},
		},
		Flavour: &vnfpkg.Flavour{ID: "f", Vdus: []vnfpkg.Vdu{{ID: "node", InitialInstances: new(1)}}},
	}}
}

func TestOnlyVim_needsOneOpenStack(t *testing.T) {
	t.Parallel()
	for want, connections := range map[string][]lcm.VimConnectionInfo{
		"cloud": {
			{ID: "k8s", VimType: "ETSINFV.KUBERNETES.V_1"},
			{ID: "cloud", VimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3"},
		},
		"brings no connection":     {{ID: "k8s", VimType: "kubernetes"}},
		"are made: cloud, another": {{ID: "cloud"}, {ID: "another"}},
	} {
		id, err := onlyVim(lcm.Grant{VimConnections: connections}, lcm.VimOpenStack)
		if err == nil {
			require.Equal(t, want, id)
			continue
		}
		require.ErrorContains(t, err, want)
	}
}

func TestDescribed_aGrantNeedNotRepeatTheCredentialsOfTheRequest(t *testing.T) {
	t.Parallel()
	j := instantiating(``)
	own := lcm.VimConnectionInfo{
		ID: "own", VimID: "of-the-nfvo", InterfaceInfo: map[string]any{"endpoint": "https://c"},
		AccessInfo: map[string]any{"username": "u", "password": "***", "project": "p"},
	}
	j.Request.VimConnections = []lcm.VimConnectionInfo{own}
	require.Equal(t, own, j.described(lcm.VimConnectionInfo{ID: "own", VimID: "of-the-nfvo"}))
	for _, other := range []lcm.VimConnectionInfo{
		{ID: "other", VimID: "of-the-nfvo"},
		{ID: "own", VimID: "another"},
		{ID: "own", VimID: "of-the-nfvo", InterfaceInfo: map[string]any{"endpoint": "https://elsewhere"}},
	} {
		require.Equal(t, other, j.described(other))
	}
}

func TestReachableVim_takesAConnectionThatSaysAllItselfAsItIs(t *testing.T) {
	t.Parallel()
	c := lcm.VimConnectionInfo{
		ID: "own", VimID: "nobody-has-it", VimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3",
		InterfaceInfo: map[string]any{"endpoint": "https://c"},
		AccessInfo:    map[string]any{"username": "u", "password": "***", "project": "p"},
	}
	got, err := (&resolver{}).reachableVim(t.Context(), c, lcm.VimOpenStack) // without a store: nothing is asked
	require.NoError(t, err)
	require.Equal(t, c, got)

	guard := outbound.Guard{
		Denied: []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16")}, Section: "vims",
		What: "no VIM may have",
	}
	c.InterfaceInfo = map[string]any{"endpoint": "http://169.254.169.254/v3"}
	_, err = (&resolver{vimGuard: guard}).reachableVim(t.Context(), c, lcm.VimOpenStack)
	require.ErrorContains(t, err, "among those that no VIM may have (vims.deniedNetworks)")
}

func TestUnder_putsWhatTheGrantSaysInThePlaceOfTheRequests(t *testing.T) {
	j := instantiating(`{"key_name":"k","nfv":{"VDU":{"node":{"image":"x","flavor":"y"}}}}`)
	require.NoError(t, j.ApplyGrant(lcm.Grant{
		ID: "g", VimConnections: []lcm.VimConnectionInfo{{ID: "granted", VimType: lcm.VimOpenStack}},
		AddResources: []lcm.GrantResource{{
			ResourceDefinitionID: "add-node-1", Type: lcm.GrantCompute, VduID: "node",
			VimConnectionID: "granted",
		}},
		VimAssets: &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{{
			SoftwareImageID: "node",
			VimImageID:      "image-2",
		}}},
		ExtVirtualLinks:  json.RawMessage(`[{"id":"b","resourceId":"net-b2","extCps":[{"cpdId":"cp"}]},{"id":"c","resourceId":"net-c","extCps":[]}]`),
		AdditionalParams: json.RawMessage(`{"nfv":{"VDU":{"node":{"image":"z"}}},"other":1}`),
	}))
	require.Equal(t, map[string]string{"node": "image-2"}, j.Choices.Images)
	require.Equal(t, map[string]string{"node": "image-2"}, j.Chosen().Images)
	require.Equal(t, []lcm.ExtVirtualLink{
		{ID: "a", ResourceID: "net-a"},
		{ID: "b", ResourceID: "net-b2", ExtCps: []lcm.ExtCp{{CpdID: "cp"}}},
		{ID: "c", ResourceID: "net-c"},
	}, j.Request.ExtVirtualLinks)
	require.JSONEq(t, `{"key_name":"k","nfv":{"VDU":{"node":{"image":"z","flavor":"y"}}}}`,
		string(j.Request.AdditionalParams))
	at, err := (&resolver{}).Connections(t.Context(), j.Operation)
	require.NoError(t, err)
	require.Equal(t, "granted", at[0].ID)
	require.Len(t, j.takenVims(), 1)
}

func TestUnder_takesTheGrantsNetworksForInternalLinks(t *testing.T) {
	j := instantiating(``)
	j.Flavour.VirtualLinks = []vnfpkg.VirtualLink{{ID: "inner"}, {ID: "other"}}
	j.Request.ExtManagedVirtualLinks = []lcm.ExtManagedVirtualLink{{
		ID: "a", VnfVirtualLinkDescID: "inner",
		ResourceID: "asked",
	}, {ID: "b", VnfVirtualLinkDescID: "other", ResourceID: "kept"}}
	g := lcm.Grant{
		ID: "g", VimConnections: []lcm.VimConnectionInfo{{ID: "vim"}},
		ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{{
			ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: "granted",
			VimConnectionID: "vim",
		}},
	}
	require.NoError(t, j.ApplyGrant(g))
	require.Equal(t, []string{"granted", "kept"},
		[]string{j.Request.ExtManagedVirtualLinks[0].ResourceID, j.Request.ExtManagedVirtualLinks[1].ResourceID})

	g.ExtManagedVirtualLinks[0].VimConnectionID = "elsewhere"
	require.ErrorContains(t, instantiatingOn(j.Flavour).ApplyGrant(g), "its network cannot be on elsewhere")
}

func instantiatingOn(f *vnfpkg.Flavour) *job {
	j := instantiating(``)
	j.Flavour = f
	return j
}

func TestNetworks_belongToTheVNFOrToTheVnfcBesideThem(t *testing.T) {
	j := instantiating(``)
	j.Flavour.VirtualLinks = []vnfpkg.VirtualLink{{ID: "inner", Made: true}, {ID: "private", Made: true, VduID: "node"}}
	made := activities.Outcome{
		Vnfcs: []activities.Vnfc{{VduID: "other", ServerID: "o", Part: "s"}, {VduID: "node", ServerID: "n", Part: "s"}},
		Networks: []activities.Network{
			{Resource: "inner", ID: "1"},
			{Resource: "private", ID: "2", Part: "s"},
			{Resource: "unknown", ID: "3"},
			{Resource: "private", ID: "4", Part: "t"},
		},
	}
	require.Equal(t, []lcm.AttachedResource{
		{Type: lcm.GrantLink, TemplateID: "inner", ResourceID: "1"},
		{VnfcID: "n", Type: lcm.GrantLink, TemplateID: "private", ResourceID: "2"},
		{Type: lcm.GrantLink, ResourceID: "3"},
		{Type: lcm.GrantLink, TemplateID: "private", ResourceID: "4"},
	}, j.networks(made))
	require.Len(t, j.virtualLinks(made, "vim"), 3, "what the VNFD does not describe is no virtual link of it")
}

func TestUnder_aGrantThatSaysNothingChangesNothing(t *testing.T) {
	j, before := instantiating(`{"a":1}`), instantiating(`{"a":1}`)
	require.NoError(t, j.ApplyGrant(lcm.Grant{
		ID:           "g",
		AddResources: []lcm.GrantResource{{ResourceDefinitionID: "add-node-1", Type: lcm.GrantCompute, VduID: "node"}},
	}))
	require.Equal(t, before.Request, j.Request)
	require.Nil(t, j.Chosen())
	require.Empty(t, j.takenVims())
}

func TestUnder_linksOfAVNFThatIsThereStayAsTheyAre(t *testing.T) {
	j := instantiating(``)
	j.OpOcc.Operation, j.Instance.Instantiated = lcm.OpTerminate, &lcm.InstantiatedVnfInfo{}
	require.NoError(t, j.ApplyGrant(lcm.Grant{
		ID:              "g",
		ExtVirtualLinks: json.RawMessage(`[{"id":"a","resourceId":"net-a"}]`),
	}), "the same")
	require.ErrorContains(t, j.ApplyGrant(lcm.Grant{
		ID:              "g",
		ExtVirtualLinks: json.RawMessage(`[{"id":"a","resourceId":"other"}]`),
	}), "TERMINATE does not change them")
	require.ErrorContains(t, j.ApplyGrant(lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(`{}`)}), "malformed")
}

func reconnecting(t *testing.T) (*job, lifecycle.Facts) {
	t.Helper()
	j := instantiating(``)
	j.OpOcc = lcm.VnfLcmOpOcc{
		ID: "op", Operation: lcm.OpChangeExtConn,
		Params: json.RawMessage(`{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"cp"}]}]}`),
	}
	j.Flavour.Cps = []vnfpkg.VduCp{{ID: "cp", VduID: "node", External: true}, {ID: "other", VduID: "node", External: true}}
	j.Instance.Instantiated = &lcm.InstantiatedVnfInfo{
		ExtVirtualLinks: []lcm.ExtVirtualLink{{
			ID: "a", ResourceID: "net-a",
			ExtCps: []lcm.ExtCp{{CpdID: "cp"}, {CpdID: "other"}},
		}},
		VnfcResources: []lcm.VnfcResourceInfo{{ID: "server", VduID: "node"}},
	}
	facts, p, err := j.Planned()
	require.NoError(t, err)
	j.OpOcc.Plan, j.Request.ExtVirtualLinks = &p, p.Links
	return j, facts
}

func TestRelink_takesTheGrantsLinksBeforeTheGrantIsKept(t *testing.T) {
	j, facts := reconnecting(t)
	g := lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(`[{"id":"b","resourceId":"net-x","extCps":[{"cpdId":"cp"}]}]`)}
	require.NoError(t, j.ApplyGrant(g))
	require.NoError(t, j.Relink(facts, g))
	require.Equal(t, "net-x", j.Request.ExtVirtualLinks[1].ResourceID)
	require.Equal(t, []string{"b"}, j.Regranted.ChangedLinks)
	require.Equal(t, "net-b", j.OpOcc.Plan.Links[1].ResourceID, "what is kept is another's")

	j, facts = reconnecting(t)
	require.NoError(t, j.Relink(facts, lcm.Grant{ID: "g"}))
	require.Nil(t, j.Regranted, "a grant that says nothing changes nothing")
	require.ErrorContains(t, j.Relink(facts,
		lcm.Grant{ExtVirtualLinks: json.RawMessage(`[{"id":"b","resourceId":"n","extCps":[{"cpdId":"other"}]}]`)}),
		"was not asked for")
}

func TestPlanned_tellsWhatAnOperateAndAReconnectionChange(t *testing.T) {
	j, facts := reconnecting(t)
	g := lifecycle.Granted(facts, *j.OpOcc.Plan, lcm.VimConnectionInfo{ID: "openstack"})
	require.Equal(t, "update-server", g.UpdateResources[0].ResourceDefinitionID)
	require.Equal(t, "add-server-cp", g.AddResources[0].ResourceDefinitionID)

	j.OpOcc = lcm.VnfLcmOpOcc{ID: "op", Operation: lcm.OpOperate, Params: json.RawMessage(`{"changeStateTo":"STOPPED"}`)}
	facts, p, err := j.Planned()
	require.NoError(t, err)
	require.Len(t, lifecycle.Granted(facts, p, lcm.VimConnectionInfo{}).UpdateResources, 1)
}

func TestAttached_namesWhatTheVnfdDescribes(t *testing.T) {
	j := instantiating(``)
	j.Flavour.Vdus[0].Storages = []string{"disk", "log"}
	j.Flavour.Cps = []vnfpkg.VduCp{{ID: "cp", VduID: "node"}}
	got := j.attached(activities.Vnfc{
		VduID: "node", ServerID: "s", VolumeIDs: []string{"v1", "v2"},
		Attached: []activities.Attached{
			{Type: lcm.GrantStorage, Resource: "disk", ID: "v1", VimType: "OS::Cinder::Volume"},
			{Type: lcm.GrantStorage, ID: "v2"},
			{Type: lcm.GrantLinkPort, Resource: "cp", ID: "p1", VimType: "OS::Neutron::Port"},
			{Type: lcm.GrantLinkPort, Resource: "elsewhere", ID: "p2"},
		},
	})
	require.Equal(t, []lcm.AttachedResource{
		{VnfcID: "s", Type: lcm.GrantStorage, TemplateID: "disk", ResourceID: "v1", VimType: "OS::Cinder::Volume"},
		{VnfcID: "s", Type: lcm.GrantStorage, ResourceID: "v2"},
		{VnfcID: "s", Type: lcm.GrantLinkPort, TemplateID: "cp", ResourceID: "p1", VimType: "OS::Neutron::Port"},
		{VnfcID: "s", Type: lcm.GrantLinkPort, ResourceID: "p2"},
	}, got)
	require.Equal(t, []lcm.VirtualStorageResourceInfo{{
		ID: "v1", VirtualStorageDescID: "disk",
		StorageResource: lcm.ResourceHandle{
			VimConnectionID: "vim", ResourceID: "v1",
			VimLevelResourceType: "OS::Cinder::Volume",
		},
	}}, virtualStorages(got, allOn("vim")))

	j.Flavour.Vdus[0].Storages = []string{"disk"}
	got = j.attached(activities.Vnfc{
		VduID: "node", ServerID: "s", VolumeIDs: []string{"v"},
		Attached: []activities.Attached{{Type: lcm.GrantStorage, Resource: "volume", ID: "v"}},
	})
	require.Equal(t, "disk", got[0].TemplateID, "there is no other")
}

func TestConnectionPoints_areTheVnfcsAndWhatLinksMakeOfThem(t *testing.T) {
	j := instantiating(``)
	j.Flavour.Cps = []vnfpkg.VduCp{{ID: "cp", VduID: "node", External: true}, {ID: "inner", VduID: "node"}}
	j.Request.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID:     "net",
		ExtCps: []lcm.ExtCp{{CpdID: "cp", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}}}, {CpdID: "vip"}},
	}}
	addresses := []lcm.FixedIP{{Address: "10.0.0.7", SubnetID: "sub"}}
	j.Flavour.Cps[1].VirtualLink, j.Flavour.VirtualLinks = "inside", []vnfpkg.VirtualLink{{ID: "inside"}}
	made := activities.Outcome{
		Networks: []activities.Network{
			{Resource: "inside", ID: "n1", VimType: "OS::Neutron::Net"},
			{Resource: "unknown", ID: "n2"},
		},
		Vnfcs: []activities.Vnfc{{VduID: "node", ServerID: "s", Attached: []activities.Attached{
			{Type: lcm.GrantStorage, Resource: "cp", ID: "v1"},
			{
				Type: lcm.GrantLinkPort, Resource: "cp", ID: "p1", VimType: "OS::Neutron::Port", MAC: "fa:16:3e:00:00:01",
				Addresses: addresses,
			},
			{
				Type: lcm.GrantLinkPort, Resource: "inner", ID: "p2", VimType: "OS::Neutron::Port", MAC: "fa:16:3e:00:00:02",
				Addresses: addresses,
			},
			{Type: lcm.GrantLinkPort, Resource: "elsewhere", ID: "p3"},
		}}},
	}
	cps, external := j.connectionPoints(made.Vnfcs[0], made.Networks)
	require.Equal(t, []lcm.VnfcCpInfo{
		{ID: "cp-s", CpdID: "cp", VnfExtCpID: "ext-cp-s"},
		{
			ID: "inner-s", CpdID: "inner", VnfLinkPortID: "p2",
			CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:02", addresses, nil),
		},
	}, cps)
	require.Equal(t, []lcm.VnfExtCpInfo{{
		ID: "ext-cp-s", CpdID: "cp", ExtLinkPortID: "p1", AssociatedVnfcCpID: "cp-s",
		PortType:       "OS::Neutron::Port",
		CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:01", addresses, addresses),
	}}, external)
	require.Equal(t, []lcm.VnfExtCpInfo{{ID: "net-vip", CpdID: "vip"}}, j.otherExternal(external),
		"an address that is no VM's own")

	port := lcm.VnfLinkPortInfo{
		ID: "p2", CpInstanceID: "inner-s",
		ResourceHandle: lcm.ResourceHandle{VimConnectionID: "vim", ResourceID: "p2", VimLevelResourceType: "OS::Neutron::Port"},
		CpInstanceType: "VNFC_CP",
	}
	require.Equal(t, []lcm.VnfVirtualLinkResourceInfo{{
		ID: "n1", VnfVirtualLinkDescID: "inside", VnfLinkPorts: []lcm.VnfLinkPortInfo{port},
		NetworkResource: lcm.ResourceHandle{
			VimConnectionID: "vim", ResourceID: "n1",
			VimLevelResourceType: "OS::Neutron::Net",
		},
	}}, j.virtualLinks(made, "vim"))
	cps, _ = j.connectionPoints(made.Vnfcs[0], nil)
	require.Empty(t, cps[1].VnfLinkPortID, "a network that is managed elsewhere")
}

func TestRestored_isTheVnfAsItWasWithWhatIsThereNow(t *testing.T) {
	j, _ := reconnecting(t)
	j.Instance.VimConnections, j.Instance.Extensions = []lcm.VimConnectionInfo{{ID: "openstack"}}, map[string]any{"a": "b"}
	j.Instance.Instantiated.FlavourID, j.Instance.Instantiated.Granted = "simple", &lcm.GrantedChoices{}
	port := activities.Attached{Type: lcm.GrantLinkPort, Resource: "cp", ID: "port-2", MAC: "fa:16:3e:00:00:01"}
	got := j.restored(activities.Outcome{
		Restored: true,
		Vnfcs:    []activities.Vnfc{{VduID: "node", ServerID: "server", Attached: []activities.Attached{port}}},
	}, allOn("openstack"))
	require.Equal(t, []lcm.ExtVirtualLink{{
		ID: "a", ResourceID: "net-a",
		ExtCps: []lcm.ExtCp{{CpdID: "cp"}, {CpdID: "other"}},
	}}, got.Info.ExtVirtualLinks, "the links are the former ones")
	require.Equal(t, "port-2", got.Info.ExtCps[0].ExtLinkPortID)
	require.Equal(t, []lcm.AttachedResource{{
		VnfcID: "server", Type: lcm.GrantLinkPort, TemplateID: "cp",
		ResourceID: "port-2",
	}}, got.Info.Attached)
	require.Equal(t, "simple", got.Info.FlavourID)
	require.NotNil(t, got.Info.Granted)
	require.Equal(t, j.Instance.Extensions, got.Extensions)
	require.Equal(t, j.Instance.VimConnections, got.VimConnections)
}

func TestRestored_hasTheVimConnectionsThatThereWere(t *testing.T) {
	j, _ := reconnecting(t)
	j.FormerVims = []lcm.VimConnectionInfo{{ID: "openstack", VimID: "vim", VimType: "openstack"}}
	j.Instance.VimConnections = []lcm.VimConnectionInfo{{ID: "openstack", VimID: "another", VimType: "openstack"}}
	require.Equal(t, j.FormerVims, j.restored(activities.Outcome{Restored: true}, allOn("openstack")).VimConnections)
}

func TestAcceptable_refusesAddressesThatCannotBe(t *testing.T) {
	const nine = `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"ipAddresses":[{"type":"IPV4","fixedAddresses":["10.0.0.9"]}]}}]}`
	for links, says := range map[string]string{
		`[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":{"x":{"linkPortId":"q"}}}],"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"r"}}]}]`: "$.extVirtualLinks[0].extCps[0].cpConfig.x.linkPortId",
		`[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":{"x":` + nine + `,"y":` + nine +
			`}}]}]`: "has more than one entry with addresses",
		`[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":{"y":` + nine +
			`}}]}]`: "would have more than one entry " +
			"with addresses, with those of the request",
	} {
		j := instantiating(``)
		j.Targets = []lcm.VimConnectionInfo{{ID: "vim", VimID: "v"}}
		seven := []lcm.FixedIP{{Address: "10.0.0.7"}}
		j.Request.ExtVirtualLinks[0].ExtCps = []lcm.ExtCp{{
			CpdID: "cp", FixedIPs: seven,
			Configs: []lcm.CpConfig{{Key: "x", FixedIPs: seven}},
		}}
		_, err := (&resolver{}).acceptable(t.Context(), j, lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(links)})
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, says)
	}
}
