package resources_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/resources"
)

func TestChangePackage_changesTheDeploymentAndTakesThatBack(t *testing.T) {
	for _, asBefore := range []bool{false, true} {
		cloud := &activitytest.ChangingCloud{}
		infra := &resources.Activities{
			Cloud: resources.Cloud{
				VIMs:        cloud,
				Deployments: activitytest.FixedDeployment{},
				Output:      &activitytest.Output{},
			},
		}
		for range 2 {
			activitytest.Must(
				t,
				infra.ChangePackage,
				resources.ChangePackageInput{OpOccID: activitytest.OpOcc, AsBefore: asBefore},
			)
			require.Equal(t, map[string]any{"former": asBefore}, cloud.Last.Definition)
		}
	}
}
