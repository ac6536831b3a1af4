package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/resources"
)

func TestChangePackage_changesTheDeploymentAndTakesThatBack(t *testing.T) {
	for _, asBefore := range []bool{false, true} {
		cloud := &changingCloud{}
		infra := &resources.Activities{
			Cloud: resources.Cloud{VIMs: cloud, Deployments: fixedDeployment{}, Output: &logOutput{}},
		}
		for range 2 {
			must(t, infra.ChangePackage, resources.ChangePackageInput{OpOccID: opOcc, AsBefore: asBefore})
			require.Equal(t, map[string]any{"former": asBefore}, cloud.last.Definition)
		}
	}
}
