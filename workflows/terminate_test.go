package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
)

func TestTerminate_shutsServersDownOnlyWhenAskedToAndNeverBeforeTheClusterIsLetGo(t *testing.T) {
	const deregister, shutDown, remove, forget = "Deregister the cluster", "Shut the servers down", "Delete the infrastructure stack", "Forget keys and secrets"
	for name, c := range map[string]struct {
		what activities.Description
		want []string
	}{
		"forceful":          {activities.Description{}, []string{remove, forget}},
		"forceful, cluster": {activities.Description{Cluster: true}, []string{deregister, remove, forget}},
		"graceful":          {activities.Description{Graceful: true}, []string{shutDown, remove, forget}},
		"graceful, cluster": {activities.Description{Graceful: true, Cluster: true}, []string{deregister, shutDown, remove, forget}},
	} {
		t.Run(name, func(t *testing.T) {
			var titles []string
			_, processing := (&build{}).planTermination(c.what)
			for _, s := range processing {
				titles = append(titles, s.title)
			}
			require.Equal(t, c.want, titles)
		})
	}
}
