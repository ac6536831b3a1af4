package main

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cnfMany makes a hundred containerised VNFs at once on one cluster, each in its own namespace. All of them must
// complete.
func (b *bench) cnfMany(ctx context.Context) (err error) {
	if can := b.hasKubernetes("cnf-many"); !can {
		return nil
	}
	count := 100
	if b.quick {
		count = 20
	}
	c := &containers{params: map[string]any{"lcm-kubernetes-def-files": []string{"Files/kubernetes/parts.yaml"}}}
	if err := c.start(ctx); err != nil {
		return errors.Join(err, c.stop())
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	for n := range count {
		if err := c.makeNamespace(ctx, manyIn(n)); err != nil {
			return err
		}
	}
	c.cluster.Kubelet.Pace.Store(int64(podsTake))
	say("%d containerised VNFs of twenty objects at once, with Pods that take %s ...", count, podsTake)
	l, err := c.load(ctx, count, []string{"worker"}, func(n int) error {
		_, err := c.beginOf(ctx, containersVnfdID, c.request(manyIn(n)))
		return err
	})
	if err != nil {
		return err
	}
	for n := range count {
		if err := c.requireReady(ctx, manyIn(n)); err != nil {
			return err
		}
	}
	b.add("cnf_many_completed", float64(count), "operations", "none lost")
	b.add("cnf_many_seconds", l.over.Seconds(), "s", "")
	b.add("cnf_many_rate", float64(count)/l.over.Seconds(), "1/s", "")
	b.add("cnf_many_worker_memory", l.memory, "MiB", "")
	return nil
}

func manyIn(n int) string { return fmt.Sprintf("many-%d", n) }

// requireReady returns an error when a VNF is COMPLETED, but the objects in its namespace are not as they should be.
func (c *containers) requireReady(ctx context.Context, namespace string) error {
	found, err := c.cluster.Client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	ready := 0
	for _, d := range found.Items {
		ready += int(d.Status.ReadyReplicas)
	}
	if len(found.Items) != 5 || ready != 5 {
		return fmt.Errorf("%s has %d Deployments with %d Pods that are ready, not 5", namespace, len(found.Items), ready)
	}
	return nil
}
