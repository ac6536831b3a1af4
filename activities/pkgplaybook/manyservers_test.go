package pkgplaybook_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/activities/resources"
)

func TestFindPlaybooks_namesHundredsOfServersOnce(t *testing.T) {
	p := newPlayedSite(t)
	p.work.Cloud = resources.Cloud{
		VIMs: activitytest.LargeCloud{}, Deployments: activitytest.FixedDeployment{}, Output: p.shown,
	}
	in := pkgplaybook.PlaybooksInput{Tracked: p.input.Tracked, OpOccID: activitytest.OpOcc}
	var found pkgplaybook.FindPlaybooksOutput
	for range 2 {
		found = activitytest.Must(t, p.work.FindPlaybooks, in)
	}
	require.Len(t, found.Vdus[0].Servers, activitytest.ManyServers)
	all, err := p.work.Lists.ServersOf(t.Context(), activitytest.OpOcc, "instantiate_end")
	require.NoError(t, err)
	assert.Len(t, all, activitytest.ManyServers)
	one := pkgplaybook.PlayInput{NodeInput: p.Tracked(found.Vdus[0].Servers[0]), Hook: found.Hook, All: found.All}
	assert.Less(t, activitytest.ToSpare*activitytest.AtOnce*activitytest.SizeOf(t, one), activitytest.LargestMessage)
	assert.Less(t, activitytest.ToSpare*activitytest.SizeOf(t, found), activitytest.LargestMessage)
}
