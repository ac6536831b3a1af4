package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// ofPods returns the facts of a VNF of Pods that is not instantiated, with the VDUs web and db; db's Pods have two
// containers.
func ofPods() lifecycle.Facts {
	return lifecycle.Facts{Flavour: &descriptor.Flavour{Containers: true, Vdus: []descriptor.Vdu{
		{ID: "web", Image: &descriptor.SwImage{Name: "web server"}},
		{ID: "db", Pod: &descriptor.Pod{Containers: []descriptor.Container{
			{ID: "store", Software: &descriptor.SwImage{Name: "database"}}, {ID: "backup"},
		}}},
	}}}
}

func podsGrant(vdus ...string) (g lcm.Grant) {
	g.Zones = []lcm.GrantZone{{ID: "z", ZoneID: "north"}, {ID: "y", ZoneID: "south"}}
	for _, vdu := range vdus {
		g.AddResources = append(g.AddResources,
			lcm.GrantResource{Type: lcm.GrantCompute, VduID: vdu, ZoneID: "z", VimConnectionID: "cluster"})
	}
	return g
}

func TestChosen_takesZonesAndImagesForPods(t *testing.T) {
	g := podsGrant("web", "web", "db")
	g.AddResources[2].ZoneID = "y"
	g.VimAssets = &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{
		{VimConnectionID: "cluster", SoftwareImageID: "web server", VimImageID: "registry.example/web:2"},
		{SoftwareImageID: "database", VimImageID: "registry.example/db:2"},
		{SoftwareImageID: "backup", VimImageID: "registry.example/backup:2"},
		{VimConnectionID: "another", SoftwareImageID: "backup", VimImageID: "of another VIM"},
	}}
	chosen, err := lifecycle.Chosen(ofPods(), g, false)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"web": "north", "db": "south"}, chosen.Zones)
	require.Equal(t, map[string]string{
		"web": "registry.example/web:2", "store": "registry.example/db:2", "backup": "registry.example/backup:2",
	}, chosen.Images)
}

func TestChosen_refusesWhatPodsCannotHave(t *testing.T) {
	g := podsGrant("web", "web")
	g.AddResources[1].ZoneID = "y"
	g.AddResources = append(g.AddResources, lcm.GrantResource{Type: lcm.GrantStorage, VduID: "db", ZoneID: "y"})
	g.VimAssets = &lcm.GrantVimAssets{
		ComputeResourceFlavours: []lcm.GrantedFlavour{{VduID: "web", VimFlavourID: "small"}},
		SoftwareImages:          []lcm.GrantedImage{{SoftwareImageID: "nothing", VimImageID: "x"}},
	}
	_, err := lifecycle.Chosen(ofPods(), g, false)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	for _, part := range []string{
		"addResources[1].zoneId", "a workload has one zone for all Pods of web, not both north and south",
		"addResources[2].zoneId", "computeResourceFlavours[0]", "containers have no flavours", "softwareImages[0]",
	} {
		require.ErrorContains(t, err, part)
	}
}

// TestChosen_keepsTheZonesAndImagesOfPods checks that existing Pods keep the choices for them. If an NFVO repeats
// these, nothing changes.
func TestChosen_keepsTheZonesAndImagesOfPods(t *testing.T) {
	f := ofPods()
	f.Instance.Instantiated = &lcm.InstantiatedVnfInfo{
		VnfcResources: []lcm.VnfcResourceInfo{{ID: "w1", VduID: "web"}},
		Granted: &lcm.GrantedChoices{
			Zones: map[string]string{"web": "north"}, Images: map[string]string{"web": "registry.example/web:2"},
		},
	}
	g := podsGrant("web")
	g.VimAssets = &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{
		{SoftwareImageID: "web", VimImageID: "registry.example/web:2"},
	}}
	chosen, err := lifecycle.Chosen(f, g, false)
	require.NoError(t, err)
	require.Equal(t, "north", chosen.Zones["web"])

	g.AddResources[0].ZoneID, g.VimAssets.SoftwareImages[0].VimImageID = "y", "registry.example/web:3"
	_, err = lifecycle.Chosen(f, g, false)
	require.ErrorContains(t, err, `the existing Pods of web have the zone "north"; with "south"`)
	require.ErrorContains(t, err, `have the image "registry.example/web:2"; with "registry.example/web:3"`)
	_, err = lifecycle.Chosen(f, g, true)
	require.NoError(t, err, "all of them are made anew")
}

// TestChosen_forgetsImagesOfPodsWithTheirPackage checks that a new package determines the images of Pods. The grant of
// the change may choose other images. Zones stay.
func TestChosen_forgetsImagesOfPodsWithTheirPackage(t *testing.T) {
	f := ofPods()
	f.FormerFlavour = f.Flavour
	f.Instance.Instantiated = &lcm.InstantiatedVnfInfo{
		VnfcResources: []lcm.VnfcResourceInfo{{ID: "w1", VduID: "web"}, {ID: "d1", VduID: "db"}},
		Granted: &lcm.GrantedChoices{
			Zones:  map[string]string{"web": "north"},
			Images: map[string]string{"web": "registry.example/web:2", "store": "registry.example/db:2"},
		},
	}
	chosen, err := lifecycle.Chosen(f, lcm.Grant{VimAssets: &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{
		{SoftwareImageID: "web", VimImageID: "registry.example/web:3"},
	}}}, false)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"web": "registry.example/web:3"}, chosen.Images)
	require.Equal(t, map[string]string{"web": "north"}, chosen.Zones)
}
