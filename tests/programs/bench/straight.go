package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// straight does on the lab what Windlass does for an instantiation and a termination, but in a small program without
// API, database and Temporal: the same stack, the same logins, as many scripts, the same things in parallel.
type straight struct {
	heat   *heat
	dialer *remote.Dialer
}

// visit is a login to each of some nodes, and the number of scripts that run there one after another.
type visit struct {
	nodes   []string
	scripts int
}

// course is a series of visits. The courses of one stage run in parallel.
type course []visit

// stages returns the visits of the cluster's steps, in order.
func stages(controlPlanes, workers []string) [][]course {
	all := append(append([]string{}, controlPlanes...), workers...)
	first := controlPlanes[:1]
	var joins course
	for i := range controlPlanes[1:] {
		joins = append(joins, visit{controlPlanes[i+1 : i+2], 2}, visit{first, 1}) // look, join; admit to etcd
	}
	return [][]course{
		{{
			{all, 0},           // wait until every node answers
			{all, 1},           // check
			{all, 1},           // prepare
			{controlPlanes, 2}, // find the interface, configure the load balancer
			{first, 1},         // find the virtual IP
			{first, 2},         // look for a member, kubeadm init
			{first, 1},         // pod network
			{first, 1},         // mint a token
		}},
		{joins, {{workers, 2}}},                    // look, join
		{{{first, 1}}},                             // revoke the token
		{{{first, 1}}, {{first, 1}}, {{first, 1}}}, // labels, wait until Ready, account
	}
}

// instantiate makes the stack and makes all visits. It returns the stack's id and the total time.
func (s *straight) instantiate(ctx context.Context, name string) (id string, took time.Duration, err error) {
	stack, err := s.heat.definition(name, 1)
	if err != nil {
		return "", 0, err
	}
	began := time.Now()
	id, made, err := s.heat.create(ctx, stack)
	if err != nil {
		return id, 0, err
	}
	for n, stage := range stages(made.ControlPlanes, made.Workers) {
		var group errgroup.Group
		for m, c := range stage {
			group.Go(func() error { return s.follow(ctx, c, fmt.Sprintf("%s-%d-%d", name, n, m)) })
		}
		if err := group.Wait(); err != nil {
			return id, 0, err
		}
	}
	return id, time.Since(began), nil
}

// follow makes the visits of a course one after another, each on all of its nodes in parallel.
func (s *straight) follow(ctx context.Context, c course, id string) error {
	for n, v := range c {
		var group errgroup.Group
		for _, node := range v.nodes {
			group.Go(func() error { return s.visit(ctx, node, fmt.Sprintf("%s-%d", id, n), v.scripts) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (s *straight) visit(ctx context.Context, node, id string, count int) (err error) {
	host, err := s.dialer.Dial(ctx, remote.Target{
		Node: node, Address: node + ":2222", User: "debian", Password: s.heat.bed.password, ServerID: id + node,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	// This script takes no time on a fake machine, and changes nothing.
	text, err := scripts.FindInterface{Address: node}.Render()
	if err != nil {
		return err
	}
	for n := range count {
		command := fmt.Sprintf("%s-%d", id, n)
		if _, err := host.Run(ctx, remote.Command{ID: command, Script: text, Sudo: true, Deadline: time.Minute}); err != nil {
			return err
		}
		if err := host.Forget(ctx, command); err != nil {
			return err
		}
	}
	return nil
}

// terminate deletes the stack.
func (s *straight) terminate(ctx context.Context, name, id string) (time.Duration, error) {
	began := time.Now()
	err := s.heat.delete(ctx, name, id)
	return time.Since(began), err
}

// pins stores host keys as Windlass's database does.
type pins struct{ keys sync.Map }

// PinHostKey implements remote.HostKeys.
func (p *pins) PinHostKey(_ context.Context, server string, key []byte) ([]byte, error) {
	pinned, _ := p.keys.LoadOrStore(server, key)
	return pinned.([]byte), nil
}
