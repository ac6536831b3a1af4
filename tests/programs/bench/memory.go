package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// servers are the processes of Windlass itself; PostgreSQL and Temporal have limits of their own.
var servers = []string{"apiserver", "worker"}

// memory returns the resident memory of the processes together, in MiB.
func (b *bed) memory(of []string) (float64, error) {
	info, err := b.Info()
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, name := range of {
		rss, err := resident(info.Processes[name])
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		sum += rss
	}
	return sum, nil
}

// resident returns the resident set of a process in MiB.
func resident(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no memory of its own", pid)
}

// watchMemory measures the memory of processes until stop is called. stop returns the greatest sum.
func (b *bed) watchMemory(ctx context.Context, of []string) (stop func() float64) {
	ctx, cancel := context.WithCancel(ctx)
	peak := make(chan float64)
	go func() {
		highest := 0.0
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			if now, err := b.memory(of); err == nil {
				highest = max(highest, now)
			}
			select {
			case <-ctx.Done():
				peak <- highest
				return
			case <-tick.C:
			}
		}
	}()
	return func() float64 {
		cancel()
		return <-peak
	}
}
