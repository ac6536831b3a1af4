package kubeadm

import "github.com/windlass-nfv/windlass/internal/lifecycle"

// The steps of clusters that kubeadm installs. Operations keep these ids, and other releases read them: an id never changes.
const (
	StepApplyPodNetwork     lifecycle.StepID = "apply-pod-network"
	StepBalanceAll          lifecycle.StepID = "balance-all"
	StepBalanceNew          lifecycle.StepID = "balance-new"
	StepCheckNodes          lifecycle.StepID = "check-nodes"
	StepDecideOnNodes       lifecycle.StepID = "decide-on-nodes"
	StepInitControlPlane    lifecycle.StepID = "init-control-plane"
	StepJoinNewNodes        lifecycle.StepID = "join-new-nodes"
	StepJoinNodes           lifecycle.StepID = "join-nodes"
	StepPrepareNodes        lifecycle.StepID = "prepare-nodes"
	StepRetireControlPlanes lifecycle.StepID = "retire-control-planes"
	StepTellNodes           lifecycle.StepID = "tell-nodes"
)
