package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	instancesV1 = "/vnflcm/v1/vnf_instances"
	instancesV2 = "/vnflcm/v2/vnf_instances"
	opOccsV1    = "/vnflcm/v1/vnf_lcm_op_occs"
	opOccsV2    = "/vnflcm/v2/vnf_lcm_op_occs"
	// manyInstances is the number of instances for which the API is measured; the baseline has a tenth of them. Each
	// instance has five operations.
	manyInstances = 10_000
)

// northbound measures how fast the API answers with 10,000 VNF instances and 50,000 operations in the database. The
// baseline is the same process with a tenth of them.
func (b *bench) northbound(ctx context.Context) (err error) {
	many := manyInstances
	if b.quick {
		many /= 10
	}
	bed, err := newBed(ctx, "fake", "--image-alias", "tiny")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	if out, err := bed.Windlass(ctx, "package", "create", serverPackage).CombinedOutput(); err != nil {
		return fmt.Errorf("on-board the package: %w\n%s", err, out)
	}
	n, err := bed.northbound(ctx, b.quick)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.population.close(context.WithoutCancel(ctx))) }()
	few, err := n.measureAll(ctx, many/10)
	if err != nil {
		return err
	}
	all, err := n.measureAll(ctx, many)
	if err != nil {
		return err
	}
	for _, q := range n.order {
		b.compare("northbound_"+q+"_p50", milliseconds(all[q].p50), milliseconds(few[q].p50), "ms", "")
		b.compare("northbound_"+q+"_p99", milliseconds(all[q].p99), milliseconds(few[q].p99), "ms", "")
		b.compare("northbound_"+q+"_rate", all[q].rate, few[q].rate, "1/s", "")
	}
	took, pages, err := n.walk(ctx)
	if err != nil {
		return err
	}
	b.add("northbound_walk", took.Seconds(), "s", "")
	b.add("northbound_walk_pages", float64(pages), "pages", "")
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// northbound is a full database and the clients of the API.
type northbound struct {
	*bed
	population *population
	sender     *sender
	// vnfc and server are a VNFC of the original that a heal has made, and its server.
	vnfc, server string
	heal         string // the operation that healed
	alone, some  int
	order        []string

	mu      sync.Mutex
	created []string
}

// northbound makes the VNF that the test copies, with real operations.
func (b *bed) northbound(ctx context.Context, quick bool) (*northbound, error) {
	n := &northbound{bed: b, sender: newSender(b.api), alone: 200, some: 400}
	if quick {
		n.alone, n.some = 40, 80
	}
	vnf, err := n.original(ctx)
	if err != nil {
		return nil, fmt.Errorf("make the VNF that is copied: %w", err)
	}
	info, err := b.Info()
	if err != nil {
		return nil, err
	}
	n.population, err = newPopulation(ctx, info.DatabaseURL, vnf, b.vim, vnfdID)
	return n, err
}

// original instantiates a cluster and runs four more operations on it.
func (n *northbound) original(ctx context.Context) (vnf string, err error) {
	say("A cluster, whose rows are copied: instantiate, scale out, scale in, heal, modify ...")
	made, err := n.instantiate(ctx, 1)
	if err != nil {
		return "", err
	}
	vnf = made.vnf
	for _, direction := range []string{"SCALE_OUT", "SCALE_IN"} {
		if _, err := n.scale(ctx, vnf, direction, 1); err != nil {
			return "", err
		}
	}
	if n.vnfc, err = n.newest(ctx, vnf, "workerNode"); err != nil {
		return "", err
	}
	healed, err := n.operate(ctx, vnf, "heal", map[string]any{"vnfcInstanceId": []string{n.vnfc}, "cause": "benchmark"})
	if err != nil {
		return "", err
	}
	n.heal = healed.ID
	if n.server, err = n.newest(ctx, vnf, "workerNode"); err != nil {
		return "", err
	}
	header, err := n.call(ctx, http.MethodPatch, instancesV1+"/"+vnf,
		map[string]any{"metadata": map[string]any{"site": "north"}}, nil)
	if err != nil {
		return "", err
	}
	_, err = n.await(ctx, "modify", operation{vnf: vnf, ID: path.Base(header.Get("Location"))})
	return vnf, err
}

// measureAll fills the database and measures all requests.
func (n *northbound) measureAll(ctx context.Context, instances int) (map[string]answered, error) {
	say("%d VNF instances and their operations into the database ...", instances)
	began := time.Now()
	if err := n.population.grow(ctx, instances); err != nil {
		return nil, err
	}
	say("  %.0f s", time.Since(began).Seconds())
	out := map[string]answered{}
	questions := slices.Concat(n.reads(), n.writes())
	n.order = n.order[:0]
	for _, q := range questions {
		n.order = append(n.order, q.name)
		if q.name == "instantiate" {
			continue
		}
		a, err := n.sender.measure(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		out[q.name] = a
		say("  %-20s p50 %7.1f ms  p99 %7.1f ms  %7.0f 1/s", q.name, milliseconds(a.p50), milliseconds(a.p99), a.rate)
	}
	a, err := n.accept(ctx, questions[len(questions)-1])
	out["instantiate"] = a
	return out, err
}

// reads returns the requests for lists, filtered lists and single resources.
func (n *northbound) reads() []question {
	one := func(i int) int { return i * 7919 % n.population.made } // a different copy each time
	id := func(original string) func(int) string {
		return func(i int) string { return n.population.id(original, one(i)) }
	}
	list := func(name, resource, query string) question {
		return question{
			name: name, method: http.MethodGet, status: http.StatusOK, alone: n.alone / 2, together: n.some / 2,
			path: func(int) string { return resource + query },
		}
	}
	// finds returns a list with a filter. The value for the n-th request replaces the star.
	finds := func(name, resource, filter string, value func(int) string, heard func(http.Header, []byte) error) question {
		q := list(name, resource, "")
		q.alone, q.together, q.heard = n.alone, n.some, heard
		q.path = func(i int) string {
			return resource + "?filter=" + url.QueryEscape(strings.ReplaceAll(filter, "*", value(i)))
		}
		return q
	}
	const resources = "instantiatedVnfInfo/vnfcResourceInfo/computeResource/resourceId"
	name := func(i int) string { return nameOfCopy(one(i)) }
	read := func(name, resource, original string) question {
		q := list(name, resource, "")
		q.alone, q.together, q.path = n.alone, n.some, func(i int) string { return resource + "/" + id(original)(i) }
		return q
	}
	return []question{
		list("list_v1", instancesV1, ""),
		list("list_v2", instancesV2, ""),
		list("list_all_fields", instancesV2, "?all_fields"),
		list("list_op_occs", opOccsV2, ""),
		finds("name_v1", instancesV1, "(eq,vnfInstanceName,*)", name, found(1)),
		finds("map_v2", instancesV2, "(eq,metadata/site,*)", func(i int) string { return siteOfCopy(one(i)) }, found(10)),
		finds("two_v2", instancesV2, "(eq,vimConnectionInfo/openstack/vimId,"+n.vim+");(eq,metadata/rack,*)",
			func(i int) string { return fmt.Sprintf("rack-%d", one(i)) }, found(1)),
		finds("array_v1", instancesV1, "(eq,"+resources+",*)", id(n.server), found(1)),
		finds("vims_v1", instancesV1, "(eq,vimConnectionInfo/vimId,"+n.vim+");(in,vnfInstanceName,*,none)", name, found(1)),
		finds("keys_v2", instancesV2, "(eq,vimConnectionInfo/@key,openstack);(eq,vnfInstanceName,*)", name, found(1)),
		finds("part_of_name_v2", instancesV2, "(cont,vnfInstanceName,*);(eq,instantiatedVnfInfo/vnfState,STARTED)", name,
			nil),
		finds("part_of_map_v1", instancesV1, "(cont,metadata/rack,*)",
			func(i int) string { return fmt.Sprintf("ack-%d", one(i)) }, nil),
		finds("nothing_v1", instancesV1, "(eq,metadata/site,*)", func(int) string { return "nowhere" }, found(0)),
		finds("nothing_cp_v2", instancesV2, "(eq,instantiatedVnfInfo/extCpInfo/id,*)", func(int) string { return "nothing" },
			found(0)),
		finds("ops_of_vnf_v1", opOccsV1, "(eq,vnfInstanceId,*)", id(n.population.original),
			found(len(n.population.operations))),
		finds("ops_failed_v2", opOccsV2, "(in,operationState,FAILED_TEMP,*)", func(int) string { return "ROLLING_BACK" },
			found(0)),
		finds("ops_changes_v2", opOccsV2,
			"(eq,resourceChanges/affectedVnfcs/computeResource/resourceId,*);(eq,operation,HEAL)", id(n.server), found(1)),
		finds("ops_params_v1", opOccsV1, "(eq,operationParams/vnfcInstanceId,*)", id(n.vnfc), found(1)),
		finds("ops_since_v1", opOccsV1, "(gt,startTime,*);(eq,operation,SCALE)",
			func(int) string { return time.Now().Add(-time.Hour).UTC().Format(time.RFC3339) }, nil),
		read("read_v1", instancesV1, n.population.original),
		read("read_v2", instancesV2, n.population.original),
		read("read_op_occ", opOccsV2, n.heal),
	}
}

// found requires this number of items in the answer, because an empty list is faster.
func found(count int) func(http.Header, []byte) error {
	return func(_ http.Header, body []byte) error {
		var items []json.RawMessage
		if err := json.Unmarshal(body, &items); err != nil || len(items) != count {
			return errors.Join(err, fmt.Errorf("%d items were found, not %d", len(items), count))
		}
		return nil
	}
}

// writes returns the requests that create VNF instances, and those that instantiate them.
func (n *northbound) writes() []question {
	n.mu.Lock()
	n.created = nil
	n.mu.Unlock()
	return []question{
		{
			name: "create", method: http.MethodPost, status: http.StatusCreated, alone: n.alone, together: n.some,
			path: func(int) string { return instancesV2 },
			body: func(int) any { return map[string]any{"vnfdId": serverVnfdID, "vnfInstanceName": "bench"} },
			heard: func(header http.Header, _ []byte) error {
				n.mu.Lock()
				defer n.mu.Unlock()
				n.created = append(n.created, path.Base(header.Get("Location")))
				return nil
			},
		},
		{
			name: "instantiate", method: http.MethodPost, status: http.StatusAccepted, alone: n.alone / 4, together: n.some / 4,
			path: func(i int) string {
				n.mu.Lock()
				defer n.mu.Unlock()
				return instancesV1 + "/" + n.created[i] + "/instantiate"
			},
			body: func(int) any { return n.serverRequest() },
		},
	}
}

// accept measures how fast the API accepts instantiations. The worker is paused meanwhile, because its load would
// depend on other processes and on the cloud. Afterwards it carries all of them out.
func (n *northbound) accept(ctx context.Context, q question) (a answered, err error) {
	q.alone, q.together = min(q.alone, len(n.created)/3), min(q.together, len(n.created)/3) // each is instantiated once
	resume, err := n.pauseWorker()
	if err != nil {
		return a, err
	}
	a, err = n.sender.measure(ctx, q)
	if err := errors.Join(err, resume()); err != nil {
		return a, fmt.Errorf("%s: %w", q.name, err)
	}
	say("  %-20s p50 %7.1f ms  p99 %7.1f ms  %7.0f 1/s", q.name, milliseconds(a.p50), milliseconds(a.p99), a.rate)
	return a, n.awaitAll(ctx)
}

// pauseWorker stops the worker until resume is called.
func (n *northbound) pauseWorker() (resume func() error, err error) {
	info, err := n.Info()
	if err != nil {
		return nil, err
	}
	pid := info.Processes[workerName]
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return nil, fmt.Errorf("stop the worker: %w", err)
	}
	return func() error { return syscall.Kill(pid, syscall.SIGCONT) }, nil
}

// awaitAll waits until all operations have ended. It returns an error if one has stopped.
func (n *northbound) awaitAll(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var open []operation
		filter := url.QueryEscape("(in,operationState,STARTING,PROCESSING,FAILED_TEMP,ROLLING_BACK)")
		if _, err := n.call(ctx, http.MethodGet, opOccsV1+"?filter="+filter, nil, &open); err != nil {
			return err
		}
		if len(open) == 0 {
			return nil
		}
		for _, op := range open {
			if op.Error != nil {
				return fmt.Errorf("an instantiation is %s: %s", op.State, op.Error.Detail)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// walk reads the list of all instances page by page, while others are created. Each copy must come once, in order.
func (n *northbound) walk(ctx context.Context) (took time.Duration, pages int, err error) {
	missing := map[string]bool{}
	for i := range n.population.made {
		missing[n.population.id(n.population.original, i)] = true
	}
	last := ""
	for next := n.api + instancesV1; next != ""; pages++ {
		var page []struct {
			ID string `json:"id"`
		}
		began := time.Now()
		header, err := call(ctx, http.MethodGet, next, nil, &page)
		if err != nil {
			return 0, 0, err
		}
		took += time.Since(began)
		for _, item := range page {
			if cmp.Compare(item.ID, last) <= 0 {
				return 0, 0, fmt.Errorf("the instance %s comes after %s", item.ID, last)
			}
			last = item.ID
			delete(missing, item.ID)
		}
		for range 10 {
			if _, err := n.call(ctx, http.MethodPost, instancesV1, map[string]any{"vnfdId": serverVnfdID}, nil); err != nil {
				return 0, 0, err
			}
		}
		next = nextPage(header)
	}
	if len(missing) > 0 {
		return 0, 0, fmt.Errorf("%d instances were on no page, such as %s", len(missing),
			slices.Collect(maps.Keys(missing))[0])
	}
	return took, pages, nil
}
