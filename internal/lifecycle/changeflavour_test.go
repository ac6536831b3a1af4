package lifecycle_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// reflavoured returns the facts of a VNF of three web servers and a database, which gets the flavour large: two larger
// web servers at its level low, and a cache in a network of its own.
func reflavoured() lifecycle.Facts {
	level := func(id string, web int, more map[string]int) descriptor.Level {
		instances := map[string]int{"web": web}
		maps.Copy(instances, more)
		return descriptor.Level{ID: id, ScaleLevels: map[string]int{"webs": web - 1}, Instances: instances}
	}
	webs := descriptor.ScalingAspect{
		ID: "webs", MaxScaleLevel: 4, StepDeltas: []string{"one"}, Deltas: map[string]map[string]int{"web": {"one": 1}},
	}
	small := &descriptor.Flavour{
		ID: "small", DefaultLevel: "low", Aspects: []descriptor.ScalingAspect{webs},
		Vdus: []descriptor.Vdu{
			{ID: "web", ComputeFlavour: "m1.small", Image: &descriptor.SwImage{Name: "debian"}}, {ID: "db"},
		},
		VirtualLinks: []descriptor.VirtualLink{{ID: "inside", Made: true}, {ID: "old", Made: true}},
		Levels:       []descriptor.Level{level("low", 1, map[string]int{"db": 1})},
	}
	large := &descriptor.Flavour{
		ID: "large", DefaultLevel: "low", Aspects: []descriptor.ScalingAspect{webs},
		Vdus: []descriptor.Vdu{
			{ID: "web", ComputeFlavour: "m1.large", Image: &descriptor.SwImage{Name: "debian"}}, {ID: "cache"},
		},
		VirtualLinks: []descriptor.VirtualLink{{ID: "inside", Made: true}, {ID: "fast", Made: true}},
		Levels: []descriptor.Level{
			level("low", 2, map[string]int{"cache": 1}), level("high", 5, map[string]int{"cache": 2}),
		},
	}
	server := func(id, vdu string) lcm.VnfcResourceInfo {
		return lcm.VnfcResourceInfo{
			ID: id, VduID: vdu, ComputeResource: lcm.ResourceHandle{ResourceID: "server-" + id},
			Metadata: map[string]any{lcm.CreationTime: "2026-01-01T00:00:0" + id[len(id)-1:] + "Z"},
		}
	}
	return lifecycle.Facts{
		Flavour: large, FormerFlavour: small,
		Instance: lcm.VnfInstance{ID: "i", Instantiated: &lcm.InstantiatedVnfInfo{
			FlavourID: "small", VnfState: lcm.VnfStarted, ScaleStatus: []lcm.ScaleInfo{{AspectID: "webs", ScaleLevel: 2}},
			VnfcResources: []lcm.VnfcResourceInfo{server("w1", "web"), server("w2", "web"), server("w3", "web"), server("d1", "db")},
			Attached: []lcm.AttachedResource{
				{Type: lcm.GrantLink, TemplateID: "inside", ResourceID: "net-inside"},
				{Type: lcm.GrantLink, TemplateID: "old", ResourceID: "net-old"},
			},
		}},
	}
}

func TestChangeFlavour_keepsServersOfVdusThatBothHave(t *testing.T) {
	f := reflavoured()
	p, err := planOf(f, lcm.OpChangeFlavour, json.RawMessage(`{"newFlavourId":"large"}`))
	require.NoError(t, err)
	require.Equal(t, "low", p.InstantiationLevelID)
	require.Equal(t, []lcm.ScaleInfo{{AspectID: "webs", ScaleLevel: 1}}, p.ScaleStatus)
	require.Equal(t, []lcm.GroupChange{
		{AspectID: "webs", VduID: "web", From: 3, To: 2}, {VduID: "cache", To: 1}, {VduID: "db", From: 1},
	}, p.Groups)
	require.Equal(t, []string{"server-w3", "server-d1"}, p.LeavingServers(), "the newest of too many, and those of no VDU")
	require.Equal(t, "the flavour large does not have the VDU", p.Leaving[1].Why)

	g := lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "vim"})
	added, removed, changed := map[string]string{}, map[string]string{}, []string(nil)
	for _, r := range g.AddResources {
		added[r.ResourceTemplateID] = r.Type
	}
	for _, r := range g.RemoveResources {
		removed[r.Resource.ResourceID] = r.Type
	}
	for _, r := range g.UpdateResources {
		changed = append(changed, r.Resource.ResourceID)
	}
	require.Equal(t, map[string]string{"cache": lcm.GrantCompute, "fast": lcm.GrantLink}, added)
	require.Equal(t, map[string]string{
		"server-w3": lcm.GrantCompute, "server-d1": lcm.GrantCompute, "net-old": lcm.GrantLink,
	}, removed)
	require.Equal(t, []string{"server-w1", "server-w2"}, changed)
}

func TestChangeFlavour_removesNothingBeforeWhatIsNewExists(t *testing.T) {
	f := reflavoured()
	for body, final := range map[string]bool{
		`{"newFlavourId":"large"}`: true, `{"newFlavourId":"large","instantiationLevelId":"high"}`: true,
	} {
		p, err := planOf(f, lcm.OpChangeFlavour, json.RawMessage(body))
		require.NoError(t, err)
		var ids []lifecycle.StepID
		for _, s := range lifecycle.Steps(f, p) {
			ids = append(ids, s.ID)
			require.Equal(t, s.ID == lifecycle.StepRemoveServers && final, s.Final, s.Title)
		}
		require.Equal(t, []lifecycle.StepID{
			lifecycle.StepDecide, lifecycle.StepAskForGrant, lifecycle.StepLook, lifecycle.StepEnlargeStack,
			lifecycle.StepFindNewNodes, lifecycle.StepRemoveServers, lifecycle.StepFindRemaining,
		}, ids)
	}
	f.FormerFlavour.Vdus = f.FormerFlavour.Vdus[:1]
	f.Instance.Instantiated.VnfcResources = f.Instance.Instantiated.VnfcResources[:2]
	p, err := planOf(f, lcm.OpChangeFlavour, json.RawMessage(`{"newFlavourId":"large"}`))
	require.NoError(t, err)
	for _, s := range lifecycle.Steps(f, p) {
		require.False(t, s.Final, "no server goes, so that all can be rolled back: %s", s.Title)
	}
}

// kept is a driver whose VNFs keep their flavour.
type kept struct{ lifecycle.VnfDriver }

func (kept) Settled() string                                                  { return "it is a cluster" }
func (kept) Check(lifecycle.Facts, lcm.Plan) error                            { return nil }
func (kept) Steps(lifecycle.Hook, lifecycle.Facts, lcm.Plan) []lifecycle.Step { return nil }

func TestChangeFlavour_refusesWhatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *lifecycle.Facts)
		body   string
		kind   lcm.ErrorKind
		says   string
	}{
		"the same flavour": {
			func(f *lifecycle.Facts) { f.Flavour = f.FormerFlavour }, `{"newFlavourId":"small"}`, lcm.KindConflict,
			"has the flavour small already",
		},
		"containers instead of servers": {
			func(f *lifecycle.Facts) { f.Flavour.Containers = true }, `{"newFlavourId":"large"}`, lcm.KindConflict,
			"one of them has servers, or containers, and the other has none",
		},
		"a level that it does not have": {
			func(*lifecycle.Facts) {}, `{"newFlavourId":"large","instantiationLevelId":"huge"}`, lcm.KindInvalid, "huge",
		},
		"a cluster": {
			func(f *lifecycle.Facts) { f.FormerDrivers = []lifecycle.VnfDriver{kept{}} }, `{"newFlavourId":"large"}`, lcm.KindConflict,
			"keeps its flavour: it is a cluster",
		},
		"a volume of a VDU that stays": {
			func(f *lifecycle.Facts) { f.FormerFlavour.Vdus[0].Storages = []string{"disk"} }, `{"newFlavourId":"large"}`,
			lcm.KindConflict, "its VNFCs of web would stay, and lose what is on their storages disk",
		},
		"a stopped VNF": {
			func(f *lifecycle.Facts) { f.Instance.Instantiated.VnfState = lcm.VnfStopped }, `{"newFlavourId":"large"}`,
			lcm.KindConflict, "is stopped: start it first",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := reflavoured()
			c.change(&f)
			_, err := planOf(f, lcm.OpChangeFlavour, json.RawMessage(c.body))
			require.True(t, lcm.Is(err, c.kind), "%v", err)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestChosen_takesOtherFlavoursWhereTheVnfGetsAnother(t *testing.T) {
	f := reflavoured()
	f.Instance.Instantiated.Granted = &lcm.GrantedChoices{
		ComputeFlavours: map[string]string{"web": "chosen-small", "db": "chosen-db"}, Images: map[string]string{"web": "debian-7"},
	}
	chosen, err := lifecycle.Chosen(f, lcm.Grant{}, false)
	require.NoError(t, err)
	require.NotContains(t, chosen.ComputeFlavours, "web", "it was chosen for another need")
	require.Equal(t, "debian-7", chosen.Images["web"], "the image is the same")
	chosen, err = lifecycle.Chosen(f, lcm.Grant{VimAssets: &lcm.GrantVimAssets{
		ComputeResourceFlavours: []lcm.GrantedFlavour{{VduID: "web", VimFlavourID: "chosen-large"}},
	}}, false)
	require.NoError(t, err)
	require.Equal(t, "chosen-large", chosen.ComputeFlavours["web"])
}

func TestChosen_refusesAnotherZoneForServersThatStay(t *testing.T) {
	f := reflavoured()
	f.Instance.Instantiated.Granted = &lcm.GrantedChoices{Zones: map[string]string{"web": "north"}}
	_, err := lifecycle.Chosen(f, lcm.Grant{
		Zones:        []lcm.GrantZone{{ID: "z", ZoneID: "south"}},
		AddResources: []lcm.GrantResource{{Type: lcm.GrantCompute, VduID: "web", ZoneID: "z"}},
	}, false)
	require.ErrorContains(t, err, "would replace them")
}

// TestBetweenFlavours_onlyAFlavourSettlesTheVnf looks at a VNF whose change of the flavour was given up.
func TestBetweenFlavours_onlyAFlavourSettlesTheVnf(t *testing.T) {
	f := reflavoured()
	f.Flavour = f.FormerFlavour
	f.Instance.Instantiated.BetweenFlavours = true
	f.Instance.Instantiated.VnfcResources = append(f.Instance.Instantiated.VnfcResources, lcm.VnfcResourceInfo{ID: "c1", VduID: "cache"})
	p, err := planOf(f, lcm.OpChangeFlavour, json.RawMessage(`{"newFlavourId":"small"}`))
	require.NoError(t, err, "back to its own flavour")
	require.Contains(t, p.Groups, lcm.GroupChange{VduID: "cache", From: 1})
	f.FormerFlavour = nil
	_, err = planOf(f, lcm.OpChangeFlavour, json.RawMessage(`{"newFlavourId":"small"}`))
	require.True(t, lcm.Is(err, lcm.KindConflict), "after the end of the operation: %v", err)
	for op, body := range map[lcm.Operation]string{
		lcm.OpHeal: `{"vnfcInstanceId":["w1"]}`, lcm.OpScale: `{"type":"SCALE_OUT","aspectId":"webs"}`,
	} {
		_, err := planOf(f, op, json.RawMessage(body))
		require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
		require.ErrorContains(t, err, "has parts of two deployment flavours")
	}
}
