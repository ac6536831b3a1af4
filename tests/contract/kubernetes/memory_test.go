package kubernetes

import (
	"strings"
	"testing"

	"github.com/windlass-nfv/windlass/tests/kubetest"
)

// inMemory are the tests that need nothing from an API server which the API server in memory does not have. All other
// tests are about refusals, admission and restarts of the real API server.
var inMemory = map[string]func(*testing.T){
	"contract":                       TestContract,
	"other manifests":                TestChange_toOtherManifestsAndBack,
	"halt":                           TestHalt_endsEveryPodAndBringsTheSameNumberBack,
	"halt of what is not running":    TestHalt_leavesWhatIsNotRunning,
	"halt on a dead node":            TestHalt_endsAPodOnADeadNode,
	"a dead node":                    TestChange_leavesAPodOnADeadNodeBehind,
	"claims of others":               TestDeploy_refusesClaimsOfOthers,
	"claims of what is dropped":      TestChange_remembersClaimsOfWhatItDrops,
	"claims that stay":               TestDispose_leavesClaimsThatAreToStay,
	"Pods that do not end":           TestDispose_endsPodsThatDoNotEndByThemselves,
	"objects that end":               TestChange_makesAnewWhatEnds,
	"a kind again":                   TestDeploy_bringsAKindAgain,
	"every kind":                     TestDeploy_everyKindInItsOrder,
	"rare kinds":                     TestDeploy_rareKinds,
	"two namespaces":                 TestDeploy_twoOfOnePackageInTwoNamespaces,
	"an autoscaler":                  TestChange_leavesTheNumberOfPodsToAnAutoscaler,
	"somebody else's autoscaler":     TestChange_leavesTheNumberOfPodsToSomebodyElsesAutoscaler,
	"sets":                           TestChange_ofSetsToSomethingBrokenAndBack,
	"networks":                       TestNetworks,
	"chart":                          TestChart_throughItsLife,
	"chart's kinds":                  TestChart_usesTheKindsThatAreThere,
	"chart's passwords":              TestChart_goesBackToTheSamePasswords,
	"a namespace that is there":      TestDeploy_usesANamespaceThatIsThere,
	"a chart in the VNF's namespace": TestChart_inANamespaceOfItsVNF,
}

// TestInMemory needs neither root nor the programs of Kubernetes.
func TestInMemory(t *testing.T) {
	t.Parallel()
	for name, test := range inMemory {
		t.Run(name, func(t *testing.T) {
			t.Parallel()        // they mostly wait
			t.Run("test", test) // some are parallel by themselves
		})
	}
}

// start runs a Kubernetes for a test: in memory for the subtests of TestInMemory, otherwise a real control plane.
func start(t *testing.T) *kubetest.ControlPlane {
	t.Helper()
	if strings.HasPrefix(t.Name(), "TestInMemory/") {
		return kubetest.StartInMemory(t)
	}
	return kubetest.Start(t)
}
