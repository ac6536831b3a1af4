package workflows

import (
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/driftcheck"
	"github.com/windlass-nfv/windlass/activities/imageregistry"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/activities/pkgscript"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/activities/storageserver"
)

// act has the activities. Its pointers are nil, because a workflow needs only the names of their methods.
var act struct {
	ansible        *pkgplaybook.Ansible
	balancers      *balancer.Activities
	cloudBalancers *balancer.ByCloud
	cluster        *kubecluster.Activities
	clusterVnfs    *kubecluster.ClusterVnfs
	drift          *driftcheck.Drift
	finder         *kubenode.Finder
	grants         *orchestrator.Grants
	images         *resources.Images
	infrastructure *resources.Activities
	nodes          *kubenode.Activities
	notifications  *orchestrator.Notifications
	opOccs         *records.OpOccs
	packages       *orchestrator.Packages
	playbooks      *pkgplaybook.Playbooks
	registry       *imageregistry.Activities
	scripts        *pkgscript.Activities
	storage        *storageserver.Activities
	vims           *kubecluster.VimRegistry
}
