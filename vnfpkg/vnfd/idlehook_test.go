package vnfd_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// idleClass has the form of Tacker's vnflcm_noop.py, in its releases and in its tests.
const idleClass = `# A driver that does nothing.

from oslo_log import log as logging
from tacker.common import log
from tacker.vnfm.mgmt_drivers import vnflcm_abstract_driver


LOG = logging.getLogger(__name__)


class Idle(vnflcm_abstract_driver.VnflcmMgmtAbstractDriver):
    """It does nothing."""

    def get_type(self):
        return 'vnflcm_noop'

    @log.log
    def instantiate_end(self, context, vnf_instance,
                        instantiate_vnf_request, grant=None,
                        **kwargs):
        pass

    def heal_end(self, context, **kwargs):
        LOG.debug('heal_end %(kwargs)s',
                  {'kwargs': kwargs})
        pass
`

// TestHook_ofADriverThatDoesNothingIsNone checks that a package with such a driver works with any scripts.policy.
func TestHook_ofADriverThatDoesNothingIsNone(t *testing.T) {
	for name, c := range map[string]struct {
		implementation, file, text string
		idle                       bool
	}{
		"in the package":              {"noop", "vnflcm_noop.py", idleClass, true},
		"of another name":             {"noop", "site.py", idleClass, true},
		"of Tacker's own":             {"vnflcm-noop", "", "", true},
		"of Tacker's own, its file":   {"../Scripts/vnflcm_noop.py", "", "", true},
		"that does something":         {"noop", "vnflcm_noop.py", strings.Replace(idleClass, "pass", "requests.post(URL)", 1), false},
		"that does something at last": {"noop", "vnflcm_noop.py", idleClass + "\nrun()\n", false},
		"that returns a call":         {"noop", "vnflcm_noop.py", strings.Replace(idleClass, "'vnflcm_noop'", "run()", 1), false},
		"a script of v2":              {"noop", "vnflcm_noop.py", "pass\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			sources := vnfpkgtest.Minimal().ReplaceVnfd(t, "implementation: mgmt-drivers-kubernetes",
				"implementation: "+c.implementation)
			if c.file != "" {
				sources = sources.ReplaceVnfd(t, "      interfaces:\n",
					"      artifacts: { noop: { type: tosca.artifacts.Implementation.Python, file: ../Scripts/"+c.file+" } }\n"+
						"      interfaces:\n").With("Scripts/"+c.file, c.text)
			}
			p := sources.Open(t)
			_, has := p.Vnfd.Flavours[0].Hooks["instantiate_end"]
			require.Equal(t, !c.idle, has)
			if c.idle {
				require.Empty(t, p.Warnings)
				require.Empty(t, p.Vnfd.Flavours[0].Drivers())
			}
		})
	}
}
