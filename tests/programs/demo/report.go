package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// step is a row of an operation's progress.
type step struct {
	Index   int           `json:"index"`
	Phase   lcm.Phase     `json:"phase"`
	Title   string        `json:"title"`
	Node    string        `json:"node"`
	State   lcm.StepState `json:"state"`
	Attempt int           `json:"attempt"`
	Started time.Time     `json:"startedAt"`
	Ended   time.Time     `json:"endedAt"`
	Error   *struct {
		Detail string `json:"detail"`
	} `json:"error"`
}

func (s step) seconds() float64 {
	if s.Ended.IsZero() {
		return 0
	}
	return s.Ended.Sub(s.Started).Seconds()
}

func (d *demo) steps(ctx context.Context, op string) ([]step, error) {
	return query[[]step](ctx, d, "op", "steps", op)
}

func (o operation) seconds() float64 { return o.StateEntered.Sub(o.Start).Seconds() }

// report shows the result, and counts the nodes.
func (d *demo) report(ctx context.Context, instance vnf, op operation) error {
	steps, err := d.steps(ctx, op.ID)
	if err != nil {
		return err
	}
	expected := d.nodesIn(instance)
	ready := expected // the operation has waited until all are Ready
	d.title("The nodes")
	if d.cloud.acting {
		d.say("%d machines act as nodes; there is no cluster to ask.", expected)
	} else if ready, err = d.showNodes(ctx, instance); err != nil {
		return err
	}
	d.title("The time of each step")
	d.say("%s", table(steps))
	d.say("Instantiated in %.1f s; %d of %d nodes are ready.", op.seconds(), ready, expected)
	if err := d.writeJSON(steps, op, ready, expected); err != nil {
		return err
	}
	if ready != expected {
		return fmt.Errorf("%d of %d nodes are ready", ready, expected)
	}
	return nil
}

// nodesIn counts the VNFCs that are nodes. A load balancer is not a node.
func (d *demo) nodesIn(instance vnf) (count int) {
	for _, v := range instance.Instantiated.Vnfcs {
		if slices.Contains(d.product().nodes, v.VduID) {
			count++
		}
	}
	return count
}

// table lists the steps with their times. For a step on several nodes it names the slowest one.
func table(steps []step) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "#\tSTEP\tTIME\tNODES\tSLOWEST NODE")
	for _, s := range steps {
		if s.Node != "" || s.Phase != lcm.PhaseForward {
			continue
		}
		nodes, slowest := 0, step{}
		for _, part := range steps {
			if part.Index != s.Index || part.Phase != s.Phase || part.Node == "" {
				continue
			}
			nodes++
			if part.seconds() >= slowest.seconds() {
				slowest = part
			}
		}
		cells := "-\t-"
		if nodes > 0 {
			cells = fmt.Sprintf("%d\t%s %.1f s", nodes, slowest.Node, slowest.seconds())
		}
		fmt.Fprintf(w, "%d\t%s\t%.1f s\t%s\n", s.Index, s.Title, s.seconds(), cells)
	}
	_ = w.Flush() // it writes into memory
	return b.String()
}

func (d *demo) workflowURL(op string) string {
	info, err := d.env.Info()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s/namespaces/%s/workflows/lcm-%s", info.TemporalUI, info.Namespace, op)
}

// lookAround lists addresses and commands with which users can look at the result.
func (d *demo) lookAround(instance vnf, op operation) {
	info, err := d.env.Info()
	if err != nil {
		return
	}
	d.title("Where to look")
	d.say("The web page       %s/ui", info.API)
	d.say("Documentation      %s/docs (the API: %s/docs/api)", info.API, info.API)
	d.say("API                %s", info.API)
	d.say("The operation      %s", d.workflowURL(op.ID))
	d.say("All operations     %s/namespaces/%s/workflows", info.TemporalUI, info.Namespace)
	d.say("OpenStack          %s   (%s)", d.env.Cloud.Login().AuthURL, d.cloud.openrc)
	d.say("Logs and state     %s", d.Dir)
	d.title("Commands to look around")
	if !d.cloud.acting {
		d.say("%s --kubeconfig %s get pods -A -o wide", d.kubectl(), d.kubeconfig())
	}
	d.say("%s", d.line("vnf", "show", instance.ID))
	d.say("%s", d.line("op", "logs", op.ID, "--step", "0"))
	d.say("curl -s %s/vnflcm/v1/vnf_lcm_op_occs/%s -H 'Version: 1.3.0'", info.API, op.ID)
	d.say("curl -s %s/windlass/v1/vnf_lcm_op_occs/%s/steps", info.API, op.ID)
	d.say("curl -N %s/windlass/v1/vnf_lcm_op_occs/%s/events", info.API, op.ID)
	d.say("temporal workflow show --address %s --namespace %s --workflow-id lcm-%s", info.Temporal, info.Namespace, op.ID)
	d.say("tctl --address %s --namespace %s workflow show --workflow_id lcm-%s", info.Temporal, info.Namespace, op.ID)
	d.say("%s", d.line("vnf", "terminate", instance.ID, "--watch"))
	d.say("go tool task demo -- --exit%s   # takes everything down", d.flags())
}

// result is the content of the file of --json.
type result struct {
	NodesReady         int              `json:"nodes_ready"`
	NodesExpected      int              `json:"nodes_expected"`
	InstantiateSeconds float64          `json:"instantiate_seconds"`
	Steps              []resultStep     `json:"steps"`
	CNF                *cnfResult       `json:"cnf,omitempty"`
	Kubespray          *kubesprayResult `json:"kubespray,omitempty"`
}

type resultStep struct {
	Title    string        `json:"title"`
	Node     string        `json:"node"`
	Seconds  float64       `json:"seconds"`
	Attempts int           `json:"attempts"`
	State    lcm.StepState `json:"state"`
}

func (d *demo) writeJSON(steps []step, op operation, ready, expected int) error {
	d.result = result{
		NodesReady: ready, NodesExpected: expected, InstantiateSeconds: op.seconds(), Steps: []resultStep{}, CNF: d.result.CNF,
		Kubespray: d.result.Kubespray,
	}
	for _, s := range steps {
		d.result.Steps = append(d.result.Steps, resultStep{s.Title, s.Node, s.seconds(), s.Attempt, s.State})
	}
	return d.save()
}

// save writes the results so far.
func (d *demo) save() error {
	if d.jsonFile == "" {
		return nil
	}
	b, err := json.MarshalIndent(d.result, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(d.jsonFile, append(b, '\n'), 0o644)
}
