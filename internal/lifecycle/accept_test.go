package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// asked returns the request for the grant of a scale-out by two workers, and the plan.
func asked(t *testing.T, f lifecycle.Facts) (lcm.Grant, lcm.Plan) {
	p, err := planOf(f, lcm.OpScale,
		json.RawMessage(`{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":2}`))
	require.NoError(t, err)
	return lifecycle.Granted(withoutPorts(f), p, lcm.VimConnectionInfo{ID: "openstack"}), p
}

// withoutPorts returns the facts of a VNF whose VNFD describes servers only.
func withoutPorts(f lifecycle.Facts) lifecycle.Facts {
	flavour := *f.Flavour
	flavour.Cps = nil
	f.Flavour = &flavour
	return f
}

func granted(edit func(*lcm.Grant)) lcm.Grant {
	g := lcm.Grant{ID: "g", AddResources: []lcm.GrantResource{
		{ResourceDefinitionID: "add-workerNode-2"},
		{ResourceDefinitionID: "add-workerNode-1"},
	}}
	if edit != nil {
		edit(&g)
	}
	return g
}

func TestAccept_joinsTheAnswerWithTheRequest(t *testing.T) {
	want, _ := asked(t, cluster(t, 3, 2))
	g, err := lifecycle.Accept(want, granted(func(g *lcm.Grant) {
		g.AddResources[0].VimConnectionID, g.AddResources[0].ZoneID = "other", "z"
		g.Zones = []lcm.GrantZone{{ID: "z", ZoneID: "west"}}
	}))
	require.NoError(t, err)
	require.Equal(t, []lcm.GrantResource{
		{
			ResourceDefinitionID: "add-workerNode-1", VimConnectionID: "openstack", Type: lcm.GrantCompute, VduID: "workerNode",
			ResourceTemplateID: "workerNode",
		},
		{
			ResourceDefinitionID: "add-workerNode-2", VimConnectionID: "other", ZoneID: "z", Type: lcm.GrantCompute,
			VduID: "workerNode", ResourceTemplateID: "workerNode",
		},
	}, g.AddResources)
	_, err = lifecycle.Target(g)
	require.ErrorContains(t, err, "several VIMs: openstack, other")

	g, err = lifecycle.Accept(want, lcm.Grant{ID: "g"})
	require.NoError(t, err, "an NFVO that lists nothing grants all")
	require.Len(t, g.AddResources, 2)
	target, err := lifecycle.Target(g)
	require.NoError(t, err)
	require.Equal(t, "openstack", target)
}

func TestAccept_refusesWhatIsNotWhatItAskedFor(t *testing.T) {
	want, _ := asked(t, cluster(t, 3, 2))
	for detail, edit := range map[string]func(*lcm.Grant){
		`Windlass did not ask for "mine"`: func(g *lcm.Grant) {
			g.AddResources = append(g.AddResources, lcm.GrantResource{ResourceDefinitionID: "mine"})
		},
		"1 of 2 resources are not granted: add-workerNode-1": func(g *lcm.Grant) { g.AddResources = g.AddResources[:1] },
		"what the zone nowhere is":                           func(g *lcm.Grant) { g.AddResources[1].ZoneID = "nowhere" },
		`$.removeResources[0].resourceDefinitionId: Windlass did not ask for "x"`: func(g *lcm.Grant) {
			g.RemoveResources = []lcm.GrantResource{{ResourceDefinitionID: "x"}}
		},
	} {
		_, err := lifecycle.Accept(want, granted(edit))
		require.True(t, lcm.Is(err, lcm.KindInvalid))
		require.ErrorContains(t, err, detail)
	}
}

// instantiation returns the facts of the sample's first instantiation, and a grant that edit has changed.
func instantiation(t *testing.T, edit func(*lcm.Grant)) (lifecycle.Facts, lcm.Grant) {
	f := cluster(t, 3, 2)
	f.Instance.Instantiated = nil
	p, err := planOf(f, lcm.OpInstantiate, nil)
	require.NoError(t, err)
	want := lifecycle.Granted(withoutPorts(f), p, lcm.VimConnectionInfo{ID: "openstack"})
	g := lcm.Grant{ID: "g", AddResources: want.AddResources}
	edit(&g)
	g, err = lifecycle.Accept(want, g)
	require.NoError(t, err)
	return f, g
}

func TestChosen_readsAssetsAndZones(t *testing.T) {
	f, g := instantiation(t, func(g *lcm.Grant) {
		g.Zones = []lcm.GrantZone{{ID: "z1", ZoneID: "west"}}
		for i := range g.AddResources {
			if g.AddResources[i].VduID == "workerNode" {
				g.AddResources[i].ZoneID = "z1"
			}
		}
		g.VimAssets = &lcm.GrantVimAssets{
			SoftwareImages: []lcm.GrantedImage{
				{SoftwareImageID: "masterNode", VimImageID: "image-m"},
				{SoftwareImageID: "masterNode", VimImageID: "of another VIM", VimConnectionID: "other"},
			},
			ComputeResourceFlavours: []lcm.GrantedFlavour{{
				VduID: "workerNode", VimFlavourID: "m1.huge", VimConnectionID: "openstack",
			}},
		}
	})
	chosen, err := lifecycle.Chosen(f, g, false)
	require.NoError(t, err)
	require.Equal(t, lcm.GrantedChoices{
		Images: map[string]string{"masterNode": "image-m"}, ComputeFlavours: map[string]string{"workerNode": "m1.huge"},
		Zones: map[string]string{"workerNode": "west"},
	}, chosen)
}

func TestChosen_takesAnImageByItsName(t *testing.T) {
	f, g := instantiation(t, func(g *lcm.Grant) {
		g.VimAssets = &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{{
			SoftwareImageID: "the-image",
			VimImageID:      "image-2",
		}}}
	})
	f.Flavour = &descriptor.Flavour{
		Vdus:     []descriptor.Vdu{{ID: "masterNode", Image: &descriptor.SwImage{Name: "the-image"}}, {ID: "workerNode"}},
		Storages: []descriptor.VirtualStorage{{ID: "disk", Image: &descriptor.SwImage{Name: "the-image"}}},
	}
	chosen, err := lifecycle.Chosen(f, g, false)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"masterNode": "image-2", "disk": "image-2"}, chosen.Images)
}

func TestChosen_refusesWhatOneDeploymentCannotBe(t *testing.T) {
	f, g := instantiation(t, func(g *lcm.Grant) {
		g.Zones = []lcm.GrantZone{{ID: "z1", ZoneID: "west"}, {ID: "z2", ZoneID: "east"}}
		workers := 0
		for i := range g.AddResources {
			if g.AddResources[i].VduID == "workerNode" {
				g.AddResources[i].ZoneID = g.Zones[workers%2].ID
				workers++
			}
		}
		g.VimAssets = &lcm.GrantVimAssets{
			SoftwareImages:          []lcm.GrantedImage{{SoftwareImageID: "absent-image", VimImageID: "x"}},
			ComputeResourceFlavours: []lcm.GrantedFlavour{{VduID: "absent-vdu", VimFlavourID: "x"}},
		}
	})
	_, err := lifecycle.Chosen(f, g, false)
	for _, detail := range []string{
		"one zone for all servers of workerNode, not both west and east", `"absent-image"`,
		`"absent-vdu"`,
	} {
		require.ErrorContains(t, err, detail)
	}
}

func TestChosen_keepsServersThatAreThere(t *testing.T) {
	f := cluster(t, 3, 2)
	f.Instance.Instantiated.Granted = &lcm.GrantedChoices{
		Images: map[string]string{"workerNode": "image-w"},
		Zones:  map[string]string{"workerNode": "west"},
	}
	want, _ := asked(t, f)
	with := func(zone, image string) lcm.Grant {
		g, err := lifecycle.Accept(want, granted(func(g *lcm.Grant) {
			g.Zones = []lcm.GrantZone{{ID: "z", ZoneID: zone}}
			g.AddResources[0].ZoneID, g.AddResources[1].ZoneID = "z", "z"
			g.VimAssets = &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{{
				SoftwareImageID: "workerNode",
				VimImageID:      image,
			}}}
		}))
		require.NoError(t, err)
		return g
	}
	chosen, err := lifecycle.Chosen(f, with("west", "image-w"), false)
	require.NoError(t, err)
	require.Equal(t, *f.Instance.Instantiated.Granted, lcm.GrantedChoices{Images: chosen.Images, Zones: chosen.Zones})

	other := with("east", "image-x")
	_, err = lifecycle.Chosen(f, other, false)
	require.ErrorContains(t, err, `have the zone "west"; with "east" the VIM would replace them`)
	require.ErrorContains(t, err, `have the image "image-w"; with "image-x"`)
	chosen, err = lifecycle.Chosen(f, other, true)
	require.NoError(t, err, "they are made anew in any case")
	require.Equal(t, "east", chosen.Zones["workerNode"])

	chosen, err = lifecycle.Chosen(f, lcm.Grant{}, false)
	require.NoError(t, err)
	require.Equal(t, "image-w", chosen.Images["workerNode"], "what was chosen stays")
}

func TestPlacement_namesNewServersAndTheirNeighbours(t *testing.T) {
	f := cluster(t, 3, 2)
	flavour := *f.Flavour
	flavour.AffinityRules = []descriptor.AffinityRule{
		{ID: "apart", Anti: true, Scope: "nfvi_node", Vdus: []string{"workerNode"}},
		{ID: "together", Scope: "zone", Vdus: []string{"masterNode"}},
	}
	f.Flavour = &flavour
	want, p := asked(t, f)
	require.Equal(t, []lcm.PlacementConstraint{{
		AffinityOrAntiAffinity: "ANTI_AFFINITY", Scope: "NFVI_NODE",
		Resources: []lcm.ConstraintResource{
			{IDType: "GRANT", ResourceID: "add-workerNode-1"},
			{IDType: "GRANT", ResourceID: "add-workerNode-2"},
			{IDType: "RES_MGMT", ResourceID: "server-worker-0"},
			{IDType: "RES_MGMT", ResourceID: "server-worker-1"},
		},
	}}, lifecycle.Placement(f, p, want), "no control plane is placed")

	one := lifecycle.OneVim(f, p, want)
	require.Len(t, one, 1)
	require.Equal(t, []lcm.ConstraintResource{
		{IDType: "GRANT", ResourceID: "add-workerNode-1"},
		{IDType: "GRANT", ResourceID: "add-workerNode-2"},
		{IDType: "RES_MGMT", ResourceID: f.Instance.Instantiated.VnfcResources[0].ComputeResource.ResourceID},
	}, one[0].Resources)
	require.Empty(t, lifecycle.OneVim(f, p, lcm.Grant{}), "nothing is made")
	f.Instance.Instantiated = nil
	require.Empty(t, lifecycle.OneVim(f, p, lcm.Grant{AddResources: want.AddResources[:1]}),
		"a single resource is always on one")
}

// TestChosen_keepsTheImagesOfAFormerVnfd checks that servers keep images of a former VNFD, because another image would
// replace the servers, even if the current VNFD has it.
func TestChosen_keepsTheImagesOfAFormerVnfd(t *testing.T) {
	f := cluster(t, 3, 2)
	info := *f.Instance.Instantiated
	info.Granted = &lcm.GrantedChoices{KeptImages: map[string]string{"workerNode": "former"}}
	f.Instance.Instantiated = &info
	g, _ := asked(t, f)
	with := func(image string) lcm.Grant {
		g.VimAssets = &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{{
			SoftwareImageID: "workerNode",
			VimImageID:      image,
		}}}
		return g
	}
	chosen, err := lifecycle.Chosen(f, with("former"), false)
	require.NoError(t, err)
	require.Equal(t, info.Granted.KeptImages, chosen.KeptImages)

	present := ""
	for _, vdu := range f.Flavour.Vdus {
		if vdu.ID == "workerNode" && vdu.Image != nil {
			present = vdu.Image.Name
		}
	}
	require.NotEmpty(t, present)
	_, err = lifecycle.Chosen(f, with(present), false)
	require.ErrorContains(t, err, `the existing servers of workerNode have the image "former"`)

	chosen, err = lifecycle.Chosen(f, with(present), true)
	require.NoError(t, err)
	require.Empty(t, chosen.KeptImages, "all are made anew")
}
