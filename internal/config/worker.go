package config

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// UserData says how user data classes of packages are run.
type UserData struct {
	// `path` of the Python 3 that runs user data classes of packages in a sandbox; without it none are run
	Python string `setting:"userData.python; example=/usr/bin/python3"`
	// how `long` a user data class may run
	Timeout time.Duration `setting:"userData.timeout; default=30s; is=positive"`
}

// Scripts says how Windlass treats scripts that packages name at hooks of operations.
type Scripts struct {
	// what Windlass does with scripts and playbooks at hooks of operations: `refuse`, skip or run
	Policy lcm.ScriptPolicy `setting:"scripts.policy; default=skip; enum=refuse|skip|run" need:"plans"`
	// skip management drivers of Tacker's v1 where other scripts run; else requests for their packages are refused
	SkipTackerV1 bool `setting:"scripts.skipTackerV1; default=false" need:"plans"`
	// let Python scripts of packages make connections from the worker's host
	Network bool `setting:"scripts.network; default=false"`
	// run playbooks of packages with ansible-playbook on the worker's host, in a sandbox that allows connections
	Ansible bool `setting:"scripts.ansible; default=false" need:"plans"`
	// how `long` a playbook on the worker's host goes on after its worker has died; another host waits so long
	AnsibleLease time.Duration `setting:"scripts.ansibleLease; default=5m; is=positive"`
	// largest `number` of playbooks that a worker runs at once on its host; others wait
	AnsibleAtOnce int `setting:"scripts.ansibleAtOnce; default=4; min=1; max=100"`
	// `folder` of running playbooks, which all workers of a host share; by default a folder of the user in /dev/shm
	AnsibleDirectory string `setting:"scripts.ansibleDirectory; example=/run/windlass"`
	// how `long` a Python script of a package may run
	Timeout time.Duration `setting:"scripts.timeout; default=1h; is=positive"`
}

// Worker is for the worker.
type Worker struct {
	// largest `number` of activities that run at once
	Concurrency int `setting:"worker.concurrency; default=1000; min=1; max=10000"`
	// `number` of tries while a node or another service does not answer; 10 tries take about two minutes
	Attempts int `setting:"worker.attempts; default=10; min=1; max=10"`
	// how `long` each try waits for a node whose connection was lost during a command
	Reconnect time.Duration `setting:"worker.reconnect; default=3m"`
	// `host:port` of /metrics, /healthz and /readyz; "off" serves none
	//
	// "off" becomes "".
	Metrics string `setting:"worker.metrics; default=127.0.0.1:9891; is=addressOrOff"`
}

// Kubernetes is for the worker: defaults for clusters if a request does not say.
type Kubernetes struct {
	Apt        Apt
	PodNetwork PodNetwork
}

// Apt is the repository of Kubernetes packages for images and requests that have none; without a URL there is no
// repository.
type Apt struct {
	// `URL` of an apt repository for Kubernetes packages, if neither the image nor the request has one
	URL string `setting:"kubernetes.apt.url; example=http://packages.example/kubernetes/v1.34/deb"`
	// `suite` of that repository; "/" means that it has no suites
	Suite string `setting:"kubernetes.apt.suite; default=/"`
	// `component` of that suite
	Component string `setting:"kubernetes.apt.component; example=main"`
	// `version` of the packages, such as 1.34.4-1.1; by default the request's kubernetes_version, or else the newest
	Version string `setting:"kubernetes.apt.version; example=1.34.4-1.1"`
	// `file` with the armored key of that repository
	KeyFile string `setting:"kubernetes.apt.keyFile; example=/etc/windlass/kubernetes-apt.asc"`
	// Key is the content of KeyFile.
	Key []byte
	// use that repository without a key; for mirrors inside the cloud
	Trusted bool `setting:"kubernetes.apt.trusted; default=false"`
}

// PodNetwork is for requests that name no pod network; it is a k8s.PodNetwork.
type PodNetwork struct {
	// pod network for requests that name none: a `file` on the worker's host, image:FILE in the nodes' image, a URL of
	// packages.allowedSources, each a manifest or a chart's archive; or none, if the image makes it. Set it for API
	// servers, too: without it they refuse such requests
	From string `setting:"kubernetes.podNetwork; example=/etc/windlass/pod-network.yaml; is=podNetwork" need:"plans"`
	// `file` on the worker's host with the values of that chart, as YAML
	ValuesFile string `setting:"kubernetes.podNetworkValues; example=/etc/windlass/pod-network-values.yaml"`
}
