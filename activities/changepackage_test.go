package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
)

func TestChangePackage_changesTheDeploymentAndTakesThatBack(t *testing.T) {
	for _, asBefore := range []bool{false, true} {
		cloud := &changingCloud{}
		infra := &activities.Infrastructure{VIMs: cloud, Deployments: fixedDeployment{}, Output: &logOutput{}}
		for range 2 {
			must(t, infra.ChangePackage, activities.ChangePackageInput{OpOccID: opOcc, AsBefore: asBefore})
			require.Equal(t, map[string]any{"former": asBefore}, cloud.last.Definition)
		}
	}
}
