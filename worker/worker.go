// Package worker runs workflows and activities. It connects the drivers with the activities, and records what they do.
// Any number of workers may run; Temporal gives the work of each operation to any free worker.
package worker

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/driftcheck"
	"github.com/windlass-nfv/windlass/activities/imageregistry"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/activities/pkgscript"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/activities/storageserver"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/grants"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/onboard"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/ownnet"
	"github.com/windlass-nfv/windlass/internal/podnetwork"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/internal/vim/registry"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/workflows"
)

// Options are the settings and the parts of a worker.
type Options struct {
	Client client.Client
	// Namespace is the Temporal namespace of the client.
	Namespace string
	Store     *store.Store
	Vault     *secrets.Vault
	Log       *slog.Logger
	// Worker and Scripts are settings. No Concurrency is enough for several large clusters, no Attempts leaves them to the
	// workflows, and no Reconnect takes the dialer's default.
	Worker  config.Worker
	Scripts config.Scripts
	// Reach says what scripts and playbooks on this host may connect to.
	Reach ownnet.Policy
	// Clusters are defaults for clusters whose requests and packages do not say.
	Clusters k8s.Defaults
	// VimKinds are the kinds of VIMs, and VimGuard limits the addresses of VIMs and of the nodes that they make.
	VimKinds []registry.Kind
	VimGuard outbound.Guard
	// Subscribers get notifications about VNFs. NotifyFor is how long a subscriber may be away before Windlass gives a
	// notification up.
	Subscribers *nfvo.Subscribers
	NotifyFor   time.Duration
	// Sources fetches packages from the addresses that clients give.
	Sources *nfvo.Fetcher
	// Files fetches manifests and charts from the sources that the operator allows; nil fetches none.
	Files podnetwork.Files
	// NFVOPackages also fetches packages; nil without an NFVO.
	NFVOPackages *nfvo.Orchestrator
	// PackageTrust says whose packages Windlass accepts.
	PackageTrust archive.Trust
	// UserData runs the user data classes of packages; nil runs none.
	UserData *userdata.Runner
	// NFVO, if not nil, is asked for grants. GrantPatience is how long it may take, and GrantPoll how often Windlass asks
	// it meanwhile. Endpoint is the API's own URL, with which links begin.
	NFVO                     orchestrator.Granter
	GrantPatience, GrantPoll time.Duration
	Endpoint                 string
	// Starter starts the heals that checks for drift ask for; nil leaves them to the reconciler of the API server.
	Starter activities.Starter
	// DriftMetrics, if not nil, counts checks and automatic heals.
	DriftMetrics driftcheck.DriftMetrics
	// Tracing and Metrics report operations, steps and activities; nil reports nothing.
	Tracing *telemetry.Tracing
	Metrics *telemetry.OperationMetrics
	// VimTransport, if not nil, goes around the transports that call VIMs.
	VimTransport func(http.RoundTripper) http.RoundTripper
	// ShutdownGrace is how long activities may take to end when the worker stops. Another worker takes over those that
	// have not ended: commands on nodes go on, and that worker finds them again.
	ShutdownGrace time.Duration
}

// reach is how VIMs are called.
func (o Options) reach() registry.Reach {
	reach := registry.Reach{Guard: o.VimGuard}
	if o.VimTransport != nil {
		reach.Wraps = append(reach.Wraps, o.VimTransport)
	}
	return reach
}

const (
	// Most activities wait for the VIM, or for a command on a node, and need little memory meanwhile.
	defaultConcurrency = 1000
	// pollers fetch tasks, each of them one at a time. The SDK's default of two is too few when a thousand tasks wait.
	pollers = 8
	// eager is how many activities of one step may begin here without Temporal's queue. Any free worker gets the others.
	eager = 8
	// throttle is how often heartbeats go to Temporal: the next heartbeat brings a forceful cancel. If Temporal does not
	// answer a heartbeat for as long, the SDK gives it up, and the attempt too. Two seconds are too short when Temporal
	// restarts, or is busy with a thousand operations.
	throttle = 5 * time.Second
	// deadlock is how long code of a workflow may compute. The SDK's default of one second is too short on a busy
	// machine: the workflow's task fails then, and Temporal repeats it some seconds later.
	deadlock = 10 * time.Second
	// logoutLimit bounds how long a stopping worker waits for clouds that do not answer.
	logoutLimit = 5 * time.Second
)

// Worker is the SDK's worker. After its run it logs out of the clouds.
type Worker struct {
	sdkworker.Worker
	// host runs activities that only workers of this host can do; nil where there are none.
	host sdkworker.Worker
	// canceller takes the FORCEFUL cancels that the database tells of.
	canceller *canceller
	cancels   <-chan lcm.OpOccID
	vims      *connections
	log       *slog.Logger
}

// New makes a worker for one run.
func New(o Options) *Worker {
	if o.Worker.Concurrency == 0 {
		o.Worker.Concurrency = defaultConcurrency
	}
	cancels := newCanceller(o.Client)
	options := sdkworker.Options{
		MaxConcurrentActivityExecutionSize: o.Worker.Concurrency,
		MaxConcurrentActivityTaskPollers:   pollers,
		MaxConcurrentWorkflowTaskPollers:   pollers,

		MaxEagerActivityReservationsPerWorkflowTask: new(eager),

		MaxHeartbeatThrottleInterval: throttle,
		WorkerStopTimeout:            o.ShutdownGrace,
		DeadlockDetectionTimeout:     deadlock,
		// The canceller is outside, because it may take the answer to Temporal out of the SDK's hands. The scoper is
		// inside, so that its failure is recorded as the step's failure.
		Interceptors: []interceptor.WorkerInterceptor{
			cancels, &observer{tracing: o.Tracing, metrics: o.Metrics},
			&tracker{progress: o.Store, log: o.Log, attempts: o.Worker.Attempts},
			&scoper{projectOf: o.Store.ProjectOf},
		},
	}
	if own, ok := ownIdentity(); ok {
		options.Identity = own.String()
	}
	w := sdkworker.New(o.Client, lcm.TaskQueue, options)
	ops := &operations.Resolver{
		Store: o.Store, Vault: o.Vault, Scripts: o.Scripts.Policy,
	}
	open := &connections{operations: ops, to: connectors(o.VimKinds, o.reach()), open: map[string]*login{}}
	workflows.Register(w)
	nouns := activityStructs(o, ops, open)
	for _, noun := range nouns {
		w.RegisterActivityWithOptions(noun, activity.RegisterOptions{})
	}
	return &Worker{
		Worker: w, host: hostWorker(o, options, nouns), canceller: cancels, cancels: o.Store.Cancels(), vims: open, log: o.Log,
	}
}

// hostWorker runs the activities of this host's task queue.
func hostWorker(o Options, options sdkworker.Options, nouns []any) sdkworker.Worker {
	here := o.playbooks()
	if here == nil {
		return nil
	}
	name, err := here.Name()
	if err != nil {
		o.Log.Warn("This host cannot run playbooks of packages", "error", err)
		return nil
	}
	if err := userdata.PrepareGroups(); err != nil {
		o.Log.Warn("Playbooks of packages on this host have limits for each process, but none for all processes of a "+
			"playbook together, because the worker cannot make control groups", "error", err)
	}
	options.DisableWorkflowWorker = true
	w := sdkworker.New(o.Client, pkgplaybook.HostQueue(name), options)
	for _, noun := range nouns {
		if noun, is := noun.(*pkgplaybook.Playbooks); is {
			w.RegisterActivityWithOptions(noun, activity.RegisterOptions{})
		}
	}
	return w
}

// Run works until interrupt is closed, or until Temporal refuses for good. At its end it revokes the tokens of clouds,
// as far as the clouds answer.
func (w *Worker) Run(interrupt <-chan any) error {
	running, stop := context.WithCancel(context.Background())
	go w.canceller.run(running, w.cancels)
	err := w.poll(interrupt)
	stop()
	ctx, cancel := context.WithTimeout(context.Background(), logoutLimit)
	defer cancel()
	if err := w.vims.logout(ctx); err != nil {
		w.log.WarnContext(ctx, "A token of a cloud could not be revoked; it ends by itself", "error", err)
	}
	return err
}

// poll fetches tasks from the queue of all hosts and from the queue of this host.
func (w *Worker) poll(interrupt <-chan any) error {
	if w.host == nil {
		return w.Worker.Run(interrupt)
	}
	if err := w.host.Start(); err != nil {
		return err
	}
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-interrupt:
		case <-over:
		}
		w.host.Stop()
	}()
	err := w.Worker.Run(interrupt)
	close(over)
	<-stopped
	return err
}

// activityStructs are the structs whose methods are the activities.
func activityStructs(o Options, ops *operations.Resolver, open *connections) []any {
	known := facts{ops}
	made := &deployments.Deployments{Operations: ops, Definers: definers(o.VimKinds, ops, o)}
	login := &hosts{operations: ops, vims: open, keys: o.Store, reconnect: o.Worker.Reconnect, control: o.VimGuard.Control}
	reach := reach.Runner{
		Hosts: login, Vnfs: known, Secrets: o.Vault, Output: lines{}, Defaults: o.Clusters,
	}
	cloud := resources.Cloud{VIMs: open, Deployments: made, Output: lines{}}
	fetch := &onboard.Fetcher{
		Store: o.Store, Vault: o.Vault, Sources: o.Sources, NFVO: o.NFVOPackages, Trust: o.PackageTrust,
	}
	return []any{
		&orchestrator.Packages{Fetch: fetch.Fetch, GiveUp: fetch.GiveUp},
		&records.OpOccs{
			Records: o.Store, Facts: known, Forget: o.Vault.Delete, GrantPatience: o.GrantPatience,
		},
		&orchestrator.Grants{
			NFVO: o.NFVO, Poll: o.GrantPoll,
			Facts: &grants.Grants{
				Operations: ops, Vault: o.Vault, Deployments: made, VimGuard: o.VimGuard, Endpoint: o.Endpoint,
			},
		},
		&resources.Activities{Cloud: cloud},
		&kubenode.Finder{Cloud: cloud, Vnfs: known},
		&resources.Images{VIMs: open, Deployments: made, Packages: known, Output: lines{}},
		&driftcheck.Drift{
			Sites: &sites{operations: ops, hosts: login, vims: open}, Records: o.Store, Starter: o.Starter,
			Metrics: o.DriftMetrics,
		},
		&kubenode.Activities{Reach: reach},
		&balancer.Activities{Reach: reach, Exposures: known, Before: hostsBefore{login}},
		&balancer.ByCloud{Cloud: cloud, Vnfs: known, Exposures: known},
		&imageregistry.Activities{Reach: reach, Cloud: cloud},
		&kubecluster.Activities{Reach: reach, Drains: o.Store, Servers: login, Files: o.Files},
		&storageserver.Activities{Reach: reach},
		&pkgplaybook.Ansible{Reach: reach, Keys: o.Store, SSHPort: login.sshPort},
		&pkgscript.Activities{
			Reach: reach, Facts: known, Python: o.scripts(), SkipTackerV1: o.Scripts.SkipTackerV1, Lists: o.Store,
			Cloud: cloud,
		},
		&pkgplaybook.Playbooks{
			Reach: reach, Facts: known, Keys: o.Store, Servers: login, SSHPort: login.sshPort, Here: o.playbooks(),
			Lists: o.Store, Room: make(chan struct{}, o.playbooksAtOnce()),
			Cloud: cloud,
		},
		&orchestrator.Notifications{
			Outbox: o.Store,
			Send:   (&sender{o.Store, o.Vault, o.Subscribers, o.Tracing, o.Metrics}).send, RetryFor: o.NotifyFor,
		},
		&kubecluster.VimRegistry{
			Vims: o.Store, Vnfs: known, Forget: o.Vault.Delete, Output: lines{},
			Look: (&lookout{o.Vault, o.VimKinds, o.reach()}).look,
		},
		&kubecluster.ClusterVnfs{Records: o.Store, Starter: o.Starter, Output: lines{}},
	}
}

// lookout looks at registered VIMs.
type lookout struct {
	vault *secrets.Vault
	kinds []registry.Kind
	reach registry.Reach
}

// look tells whether a VIM answers from here, and what it has.
func (l *lookout) look(ctx context.Context, vim lcm.Vim) (found lcm.VimFindings, why string) {
	kind, ok := registry.Of(l.kinds, vim.Type)
	if !ok {
		return found, "Windlass does not support VIMs of type " + vim.Type + "."
	}
	cred, err := openMap(ctx, l.vault, vim.AuthCred)
	if err == nil {
		found, err = kind.Check(ctx, vim, cred, l.reach)
	}
	if err != nil {
		return found, lcm.Sentence(err)
	}
	return found, ""
}
