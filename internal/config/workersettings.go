package config

import "errors"

// workerSettings are for the worker.
var workerSettings = []setting{
	{
		key: "worker.concurrency", need: NeedWorker, fallback: "1000",
		usage: "largest `number` of activities that run at once",
		set:   func(c *Config, v string) (err error) { c.Worker.Concurrency, err = parseInt(v, 1, 10_000); return err },
	},
	{
		key: "worker.attempts", need: NeedWorker, fallback: "10",
		usage: "`number` of tries while a node or another service does not answer; 10 tries take about two minutes",
		set:   func(c *Config, v string) (err error) { c.Worker.Attempts, err = parseInt(v, 1, 10); return err },
	},
	{
		key: "worker.reconnect", need: NeedWorker, fallback: "3m",
		usage: "how `long` each try waits for a node whose connection was lost during a command",
		set:   func(c *Config, v string) (err error) { c.Worker.Reconnect, err = parseDuration(v); return err },
	},
	{
		key: "worker.metrics", need: NeedWorker, fallback: "127.0.0.1:9891",
		usage: "`host:port` of /metrics, /healthz and /readyz; \"off\" serves none",
		set: func(c *Config, v string) (err error) {
			if v == "off" {
				c.Worker.Metrics = ""
				return nil
			}
			c.Worker.Metrics, err = v, checkAddress(v)
			return err
		},
	},
	{
		key: "kubernetes.apt.url", need: NeedWorker,
		usage: "`URL` of an apt repository for Kubernetes packages, if neither the image nor the request has one",
		set:   func(c *Config, v string) error { c.Kubernetes.Apt.URL = v; return nil },
	},
	{
		key: "kubernetes.apt.suite", need: NeedWorker, fallback: "/",
		usage: "`suite` of that repository; \"/\" means that it has no suites",
		set:   func(c *Config, v string) error { c.Kubernetes.Apt.Suite = v; return nil },
	},
	{
		key: "kubernetes.apt.component", need: NeedWorker, usage: "`component` of that suite",
		set: func(c *Config, v string) error { c.Kubernetes.Apt.Component = v; return nil },
	},
	{
		key: "kubernetes.apt.version", need: NeedWorker, usage: "`version` of the packages, such as 1.34.4-1.1; " +
			"by default the request's kubernetes_version, or else the newest",
		set: func(c *Config, v string) error { c.Kubernetes.Apt.Version = v; return nil },
	},
	{
		key: "kubernetes.apt.keyFile", need: NeedWorker, usage: "`file` with the armored key of that repository",
		set: func(c *Config, v string) error { c.Kubernetes.Apt.KeyFile = v; return nil },
	},
	{
		key: "kubernetes.apt.trusted", need: NeedWorker, fallback: "false",
		usage: "use that repository without a key; for mirrors inside the cloud",
		set:   func(c *Config, v string) (err error) { c.Kubernetes.Apt.Trusted, err = parseBool(v); return err },
	},
	{
		key: "kubernetes.podNetwork", need: NeedPlans, usage: "pod network for requests that name none: a `file` on the " +
			"worker's host, image:FILE in the nodes' image, a URL of packages.allowedSources, each a manifest or a chart's " +
			"archive; or none, if the image makes it. Set it for API servers, too: without it they refuse such requests",
		set: func(c *Config, v string) error {
			c.Kubernetes.PodNetwork.From = v
			if problem := c.Kubernetes.PodNetwork.Problem(); problem != "" {
				return errors.New(problem)
			}
			return nil
		},
	},
	{
		key: "kubernetes.podNetworkValues", need: NeedWorker, usage: "`file` on the worker's host with the values of that " +
			"chart, as YAML",
		set: func(c *Config, v string) error { c.Kubernetes.PodNetwork.ValuesFile = v; return nil },
	},
}
