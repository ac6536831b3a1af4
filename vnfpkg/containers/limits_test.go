package containers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// TestOpen_boundsWhatContainersSayTogether checks the limit for all containers together: VDUs may share containers,
// which could multiply the containers' data.
func TestOpen_boundsWhatContainersSayTogether(t *testing.T) {
	var more strings.Builder
	for i := range 20 {
		fmt.Fprintf(&more, "    v%d: { type: tosca.nodes.nfv.Vdu.OsContainerDeployableUnit, requirements: [ { container: server } ] }\n", i)
	}
	long := "        env: { A: " + strings.Repeat("x", 100<<10) + " }\n"
	_, err := vnfpkgtest.MinimalContainers().ReplaceVnfd(t, "    cp:\n", more.String()+"    cp:\n").
		ReplaceVnfd(t, "        requested_cpu_resources: 500\n", long).TryOpen()
	require.Contains(t, vnfpkgtest.Problems(t, err),
		"Definitions/top.yaml: has more than the 1048576 bytes allowed for the texts of all containers")

	more.Reset()
	for i := range tosca.MaxItems {
		fmt.Fprintf(&more, "        - container: c%d\n", i)
	}
	nodes := strings.ReplaceAll(strings.ReplaceAll(more.String(), "        - container: ", "    "), "\n",
		": { type: tosca.nodes.nfv.Vdu.OsContainer, artifacts: { sw_image: x } }\n")
	_, err = vnfpkgtest.MinimalContainers().
		ReplaceVnfd(t, "        - container: server\n", "        - container: server\n"+more.String()).
		ReplaceVnfd(t, "    cp:\n", nodes+"    cp:\n").TryOpen()
	require.Contains(t, vnfpkgtest.Problems(t, err), "Definitions/top.yaml: has more than the 100 containers allowed")
}
