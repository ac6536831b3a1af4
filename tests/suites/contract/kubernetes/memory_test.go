package kubernetes

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// inMemory are the tests that need nothing from an API server which the API server in memory does not have. All other
// tests are about refusals, admission and restarts of the real API server.
var inMemory map[string]func(*testing.T)

func init() { // the tests themselves look into it
	inMemory = map[string]func(*testing.T){
		"TestContract":                                              TestContract,
		"TestChange_toOtherManifestsAndBack":                        TestChange_toOtherManifestsAndBack,
		"TestHalt_endsEveryPodAndBringsTheSameNumberBack":           TestHalt_endsEveryPodAndBringsTheSameNumberBack,
		"TestHalt_leavesWhatIsNotRunning":                           TestHalt_leavesWhatIsNotRunning,
		"TestHalt_endsAPodOnADeadNode":                              TestHalt_endsAPodOnADeadNode,
		"TestChange_leavesAPodOnADeadNodeBehind":                    TestChange_leavesAPodOnADeadNodeBehind,
		"TestDeploy_refusesClaimsOfOthers":                          TestDeploy_refusesClaimsOfOthers,
		"TestChange_remembersClaimsOfWhatItDrops":                   TestChange_remembersClaimsOfWhatItDrops,
		"TestDispose_leavesClaimsThatAreToStay":                     TestDispose_leavesClaimsThatAreToStay,
		"TestDispose_endsPodsThatDoNotEndByThemselves":              TestDispose_endsPodsThatDoNotEndByThemselves,
		"TestChange_makesAnewWhatEnds":                              TestChange_makesAnewWhatEnds,
		"TestDeploy_bringsAKindAgain":                               TestDeploy_bringsAKindAgain,
		"TestDeploy_everyKindInItsOrder":                            TestDeploy_everyKindInItsOrder,
		"TestDeploy_rareKinds":                                      TestDeploy_rareKinds,
		"TestDeploy_twoOfOnePackageInTwoNamespaces":                 TestDeploy_twoOfOnePackageInTwoNamespaces,
		"TestChange_leavesTheNumberOfPodsToAnAutoscaler":            TestChange_leavesTheNumberOfPodsToAnAutoscaler,
		"TestChange_leavesTheNumberOfPodsToSomebodyElsesAutoscaler": TestChange_leavesTheNumberOfPodsToSomebodyElsesAutoscaler,
		"TestChange_ofSetsToSomethingBrokenAndBack":                 TestChange_ofSetsToSomethingBrokenAndBack,
		"TestDeploy_waitsForTheEndOfAJob":                           TestDeploy_waitsForTheEndOfAJob,
		"TestDeploy_tellsWhichCheckAPodFails":                       TestDeploy_tellsWhichCheckAPodFails,
		"TestDeploy_leavesAloneWhatItsAuthorHasPaused":              TestDeploy_leavesAloneWhatItsAuthorHasPaused,
		"TestNetworks":                            TestNetworks,
		"TestChart_throughItsLife":                TestChart_throughItsLife,
		"TestChart_usesTheKindsThatAreThere":      TestChart_usesTheKindsThatAreThere,
		"TestChart_goesBackToTheSamePasswords":    TestChart_goesBackToTheSamePasswords,
		"TestChart_runsHooksWithGeneratedNames":   TestChart_runsHooksWithGeneratedNames,
		"TestChart_keepsThePasswordThatItLooksUp": TestChart_keepsThePasswordThatItLooksUp,
		"TestDeploy_usesANamespaceThatIsThere":    TestDeploy_usesANamespaceThatIsThere,
		"TestChart_inANamespaceOfItsVNF":          TestChart_inANamespaceOfItsVNF,
	}
}

// alsoReal are those of inMemory that run on a real control plane, too, when only a sample is wanted: a control plane
// takes some 15 s of a processor.
var alsoReal = []string{
	"TestContract", "TestDeploy_everyKindInItsOrder", "TestDeploy_waitsForTheEndOfAJob", "TestChart_throughItsLife",
	"TestNetworks",
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
	name, _, _ := strings.Cut(t.Name(), "/")
	if inMemory[name] != nil && !slices.Contains(alsoReal, name) && os.Getenv("WINDLASS_TEST_KUBERNETES") == "" {
		t.Skip("not run: TestInMemory carries this out; on a real control plane, go tool task test:kubernetes does")
	}
	return kubetest.Start(t)
}
