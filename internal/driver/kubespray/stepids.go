package kubespray

import "github.com/windlass-nfv/windlass/internal/lifecycle"

// The steps of clusters that kubespray installs. Operations keep these ids, and other releases read them: an id never changes.
const (
	StepCheckAnsible         lifecycle.StepID = "check-ansible"
	StepDecideOnCluster      lifecycle.StepID = "decide-on-cluster"
	StepPlayCluster          lifecycle.StepID = "play-cluster"
	StepPlayClusterAgain     lifecycle.StepID = "play-cluster-again"
	StepPlayClusterRemaining lifecycle.StepID = "play-cluster-remaining"
	StepPlayFacts            lifecycle.StepID = "play-facts"
	StepPlayRecover          lifecycle.StepID = "play-recover"
	StepPlayRemoveNode       lifecycle.StepID = "play-remove-node"
	StepPlayScale            lifecycle.StepID = "play-scale"
	StepRegisterAgain        lifecycle.StepID = "register-again"
	StepRegisterRemaining    lifecycle.StepID = "register-remaining"
	StepRemoveInventory      lifecycle.StepID = "remove-inventory"
	StepRemoveNodesOnly      lifecycle.StepID = "remove-nodes-only"
	StepReplaceNodesOnly     lifecycle.StepID = "replace-nodes-only"
	StepSendInventory        lifecycle.StepID = "send-inventory"
	StepSendLeavingLast      lifecycle.StepID = "send-leaving-last"
	StepSendNewInventory     lifecycle.StepID = "send-new-inventory"
	StepSendRemaining        lifecycle.StepID = "send-remaining"
)
