package pkgplaybook_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestFindRemains_namesTheNodesThatKubeadmHasBegun(t *testing.T) {
	s := newAnsibleSite(t)
	assert.Empty(t, activitytest.Must(t, s.ansible.FindRemains, s.input(s.Nodes)).Nodes)
	before := len(s.shown.Shown)
	begun := s.Nodes.With(lcm.Worker)[0]
	s.fake.Nodes[begun.Name].Member = true
	for range 2 {
		assert.Equal(t, lcm.Nodes{begun}, activitytest.Must(t, s.ansible.FindRemains, s.input(s.Nodes)).Nodes)
	}
	assert.Contains(t, strings.Join(s.shown.Shown[before:], "\n"), "An earlier run has begun to make "+begun.Name+".")
	assert.Empty(t, s.fake.Effects, "it only looks")
}

func TestPointToSelf_namesTheControlPlanesThatGo(t *testing.T) {
	s := newAnsibleSite(t)
	stays := s.Nodes.With(lcm.ControlPlane)[0]
	for range 2 {
		activitytest.Must(t, s.ansible.PointToSelf, pkgplaybook.PointToSelfInput{
			NodeInput: reach.NodeInput{Tracked: s.Cluster().Tracked, OpOccID: s.Cluster().OpOccID, Node: stays},
			Gone:      lcm.Nodes{{Name: "cp-9", Address: "10.0.0.19"}, {Name: "cp-8", Address: "10.0.0.18"}},
		})
	}
	name, params := activitytest.ReadScript(s.fake.Ran[0].Script)
	assert.Equal(t, "point-to-self", name)
	assert.Equal(t, "10.0.0.19 10.0.0.18", params["GONE"])
	assert.Equal(t, "cp-9 cp-8", params["GONE_NODES"])
	assert.Equal(t, stays.Address, params["ADDRESS"])
}
