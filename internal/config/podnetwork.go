package config

import (
	"errors"
	"os"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

func checkPodNetwork(v string) error {
	if problem := (k8s.PodNetwork{From: v}).Problem(); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// finishPodNetwork checks that the worker can read its files. It reads them again when a cluster needs them.
func (l *loader) finishPodNetwork() {
	p := k8s.PodNetwork(l.config.Kubernetes.PodNetwork)
	if file, ok := p.OnHost(); ok {
		l.readable("kubernetes.podNetwork", file)
	}
	if p.ValuesFile == "" {
		return
	}
	l.readable("kubernetes.podNetworkValues", p.ValuesFile)
	if p.From == "" || p.From == k8s.NoPodNetwork {
		l.problem(l.placeOf("kubernetes.podNetworkValues"), "has the values of a chart, but kubernetes.podNetwork names none")
	}
}

func (l *loader) readable(key, file string) {
	f, err := os.Open(file)
	if err != nil {
		l.problem(l.placeOf(key), "cannot be read: "+err.Error())
		return
	}
	_ = f.Close()
}
