package pkgscript_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/pkgscript"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/driver/vdu"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

func TestFindScripts_namesHundredsOfServersOnce(t *testing.T) {
	s, _, _, output := activitytest.NewFake(t, 0, 1, nil)
	s.Reach.Vnfs.(*activitytest.FixedVnf).Context.Drivers = []lifecycle.VnfDriver{&script.Scripts{
		Params: script.Params{Servers: vdu.Logins{"web": {}}},
	}}
	lists := activitytest.ServerLists{}
	packaged := &pkgscript.Activities{
		Reach: s.Reach, Facts: &toldScripts{}, Lists: lists,
		Cloud: resources.Cloud{VIMs: activitytest.LargeCloud{}, Deployments: activitytest.FixedDeployment{}, Output: output},
	}
	in := pkgscript.ScriptsInput{Tracked: s.Cluster().Tracked, OpOccID: activitytest.OpOcc, Side: script.End}
	var found pkgscript.FindScriptsOutput
	for range 2 {
		found = activitytest.Must(t, packaged.FindScripts, in)
	}
	require.Len(t, found.Servers, activitytest.ManyServers)
	require.True(t, found.Kept, "the workflow leaves out the list of all")
	assert.Len(t, lists[string(activitytest.OpOcc)+"/instantiate_end"], activitytest.ManyServers)
	one := pkgscript.RunOnServerInput{NodeInput: s.Tracked(found.Servers[0].Node), Hook: found.Hook, Path: "Scripts/a.sh"}
	assert.Less(t, activitytest.ToSpare*activitytest.AtOnce*activitytest.SizeOf(t, one), activitytest.LargestMessage)
	assert.Less(t, activitytest.ToSpare*activitytest.SizeOf(t, found), activitytest.LargestMessage)
}
