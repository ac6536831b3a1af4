package fake

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

func (h *Hypervisor) drainNode(ctx context.Context, m *Machine, p ScriptParams) Result {
	leaving, known, ready := p.Get("LEAVING"), false, false
	result := h.onCluster(ctx, m, p, func(c *cluster) Result {
		node := c.members[leaving]
		if known = node != nil; !known {
			p.Print("the cluster has no node %s", leaving)
			p.Result("absent", "yes")
			return Result{}
		}
		node.cordoned, ready = true, c.ready(leaving) && p.Get("OFF") == ""
		p.Print("node/%s cordoned", leaving)
		return Result{}
	})
	if result.ExitCode != 0 || !known {
		return result
	}
	left := describe(nil)
	if ready {
		h.within(ctx, p, "DRAIN_FOR", func(c *cluster) bool {
			left = c.evict(leaving)
			ready = c.ready(leaving)
			return left == "" || !ready
		})
	}
	if ctx.Err() != nil {
		return interrupted
	}
	switch {
	case !ready:
		p.Print("%s is not ready: its pods are deleted without waiting for it", leaving)
		p.Result("ready", "no")
		h.force(p, leaving)
	case left != "" && p.Get("POLICY") != "force":
		p.Result("held", "yes")
		return p.Fail(1, "after %s s these pods are still on %s: %s. Make room for them or ease the budgets, then retry; or "+
			"set drain_policy to force",
			p.Get("DRAIN_FOR"), leaving, left)
	case left != "":
		p.Print("drain_policy is force: they are deleted")
		h.force(p, leaving)
	}
	h.detach(ctx, p, leaving)
	p.Print("%s is drained", leaving)
	return Result{}
}

// evict evicts every pod of the node, and describes the pods that stay.
func (c *cluster) evict(node string) string {
	var held []*Pod
	for _, pod := range c.podsOn(node) {
		if pod.Budget != "" {
			held = append(held, pod)
			continue
		}
		c.move(pod)
	}
	return describe(held)
}

// move takes a pod off its node. A stuck volume stays on the node: a DaemonSet pod, which no drain moves, holds it
// there.
func (c *cluster) move(pod *Pod) {
	if pod.Stuck {
		behind := *pod
		behind.Name, behind.DaemonSet, behind.Budget = pod.Name+"-volume", true, ""
		c.pods[behind.key()] = &behind
		pod.Volume, pod.Stuck = "", false
	}
	c.reschedule(pod)
}

func (h *Hypervisor) force(p ScriptParams, node string) {
	w := h.locked()
	defer w.mu.Unlock()
	if c := w.clusters[p.Get("CLUSTER")]; c != nil {
		if len(c.podsOn(node)) > 0 {
			p.Result("forced", "yes")
		}
		for _, pod := range c.podsOn(node) {
			p.Print("deleting the pod %s", pod.key())
			c.move(pod)
		}
	}
}

func (h *Hypervisor) detach(ctx context.Context, p ScriptParams, node string) {
	var attached []string
	h.within(ctx, p, "DETACH_FOR", func(c *cluster) bool {
		attached = nil
		for _, pod := range c.pods {
			if pod.Node == node && pod.Volume != "" {
				attached = append(attached, pod.Volume)
			}
		}
		return len(attached) == 0
	})
	if len(attached) > 0 {
		p.Result("attached", base64.StdEncoding.EncodeToString([]byte(strings.Join(attached, " "))))
	}
}

// within checks the condition repeatedly, for at most the seconds in parameter limit.
func (h *Hypervisor) within(ctx context.Context, p ScriptParams, limit string, condition func(c *cluster) bool) {
	seconds, _ := strconv.Atoi(p.Get(limit))
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	w := h.state()
	look := func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		c := w.clusters[p.Get("CLUSTER")]
		return c == nil || condition(c)
	}
	for !look() {
		if time.Now().After(end) || !sleep(ctx, 20*time.Millisecond) {
			return
		}
	}
}

func (h *Hypervisor) uncordonNode(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		node := c.members[p.Get("LEAVING")]
		if node == nil {
			p.Print("the cluster has no node %s", p.Get("LEAVING"))
			return Result{}
		}
		node.cordoned = false
		p.Print("node/%s uncordoned", p.Get("LEAVING"))
		return Result{}
	})
}

func (h *Hypervisor) deleteNode(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		name := p.Get("LEAVING")
		node := c.members[name]
		switch {
		case node == nil:
			p.Print("the cluster has no node %s", name)
			return Result{}
		case !node.cordoned:
			c.violate("the node %s was deleted without having been cordoned", name)
		case len(c.podsOn(name)) > 0:
			c.violate("the node %s was deleted with pods on it", name)
		}
		if c.memberOf(name) != nil {
			c.violate("the node %s was deleted while it was a member of etcd", name)
		}
		delete(c.members, name)
		for key, pod := range c.pods {
			if pod.Node == name {
				delete(c.pods, key)
			}
		}
		p.Print("node %q deleted", name)
		return Result{}
	})
}
