package worker

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/operations"
)

// TestActivities_keepTheirNames compares the activities of a worker with a list. Operations that an earlier release has
// begun, and recorded histories, name their activities: add to the list, but remove nothing from it that any release
// has had.
func TestActivities_keepTheirNames(t *testing.T) {
	var names []string
	for _, noun := range activityStructs(Options{}, &operations.Resolver{}, &connections{}) {
		for method := range reflect.TypeOf(noun).Methods() {
			names = append(names, method.Name)
		}
	}
	slices.Sort(names)
	require.Equal(t, slices.Compact(slices.Clone(names)), names, "two activities have the same name")

	list, err := os.ReadFile("testdata/activities.txt")
	require.NoError(t, err)
	require.Equal(t, strings.Fields(string(list)), names)
}
