package containers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestTackerVdu_mistakes(t *testing.T) {
	const begins, ends = "    web:\n", "    server:\n"
	f := vnfpkgtest.MinimalContainers()
	text := f[vnfpkgtest.TopVnfd]
	f[vnfpkgtest.TopVnfd] = text[:strings.Index(text, begins)] + `    web:
      type: tosca.nodes.nfv.VDU.Tacker
      properties:
        vnfcs:
          a: { num_cpus: none, mem_size: 1, image: x }
          b: { num_cpus: 0.25 }
    empty: { type: tosca.nodes.nfv.VDU.Tacker }
` + text[strings.Index(text, ends):]
	_, err := f.TryOpen()
	require.Equal(t, []string{
		`Definitions/top.yaml:11: "none" is not a number of CPUs, such as 0.5`,
		`Definitions/top.yaml:11: "1" is not a size with a unit, such as 512 MB`,
		`Definitions/top.yaml:12: the container "b" has no image`,
		`Definitions/top.yaml:13: the VDU "empty" has no vnfcs: Windlass needs them to make containers of VDUs of ` +
			`the type tosca.nodes.nfv.VDU.Tacker`,
	}, vnfpkgtest.Problems(t, err)[:4])
}
