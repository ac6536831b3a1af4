package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func driftPath(instance string) string { return "/windlass/v1/vnf_instances/" + instance + "/drift" }

func newVnfDrift(c *cli) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "drift ID",
		Short: "Show the differences between a VNF instance and its record",
		Long: `Show the findings of the last check of a VNF instance: differences of the VIM, the nodes, Kubernetes,
etcd, HAProxy, the virtual IP and the CA from their record. Each has its remedy. The decision of the check comes last.
--check checks now and waits for the outcome.`,
		Example: `  windlass vnf drift edge-1 --check
  windlass vnf drift edge-1 -o jsonpath='{.findings[*].kind}'`,
		Args: exactly("ID"),
	}
	cmd.Flags().BoolVar(&check, "check", false, "check now, and wait for the outcome")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		raw, err := c.driftReport(cmd.Context(), args[0], check)
		if err != nil {
			return err
		}
		report, err := decode[lcm.DriftReport](raw)
		if err != nil {
			return err
		}
		return c.print(raw, func(w io.Writer) { printDrift(w, report) })
	}
	return cmd
}

// driftPause is between two looks whether a check is over, driftPatience how long it may take.
const (
	driftPause    = 500 * time.Millisecond
	driftPatience = 10 * time.Minute
)

// driftReport reads the last report, or starts a check and reads its report.
func (c *cli) driftReport(ctx context.Context, instance string, check bool) (raw json.RawMessage, err error) {
	before := ""
	if check {
		if err := c.client.get(ctx, driftPath(instance), &raw); err == nil {
			last, err := decode[lcm.DriftReport](raw)
			if err != nil {
				return nil, err
			}
			before = last.ID
		}
		if _, err := c.client.send(ctx, http.MethodPost, driftPath(instance), nil, nil); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, driftPatience)
	defer cancel()
	for {
		err := c.client.get(ctx, driftPath(instance), &raw)
		if err != nil && !check && isNotFound(err) {
			return nil, fmt.Errorf("there was no check yet; 'windlass vnf drift %s --check' checks the VNF instance now",
				instance)
		}
		if err != nil && (!check || !isNotFound(err)) {
			return nil, err
		}
		if err == nil {
			report, err := decode[lcm.DriftReport](raw)
			if err != nil || !check || report.ID != before && report.Decision.Action != "" {
				return raw, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("the check has left no report: an operation has begun meanwhile, or no worker runs")
		case <-time.After(driftPause):
		}
	}
}

func isNotFound(err error) bool {
	e, ok := errors.AsType[*apiError](err)
	return ok && e.Status == http.StatusNotFound
}

func printDrift(w io.Writer, r lcm.DriftReport) {
	field(w, "Checked", r.CheckedAt.UTC().Format(time.RFC3339))
	field(w, "Trigger", r.Trigger)
	field(w, "Decision", string(r.Decision.Action)+": "+r.Decision.Reason)
	field(w, "Heal", r.Decision.OpOccID)
	if len(r.Findings) == 0 {
		return
	}
	fmt.Fprintln(w)
	row(w, "KIND", "NODE", "CHECKS", "REMEDY", "FINDING")
	for _, f := range r.Findings {
		remedy := string(f.Remedy)
		if f.Automatic {
			remedy += " (automatic, if the policy allows it)"
		}
		row(w, f.Kind, f.Node, f.Checks, remedy, f.Detail)
	}
}

func newVnfDriftPolicy(c *cli) *cobra.Command {
	var every, period time.Duration
	var autoHeal, off bool
	var agreeing, maxHeals int
	cmd := &cobra.Command{
		Use:   "drift-policy ID",
		Short: "Show or set the policy for automatic drift checks and heals of a VNF instance",
		Long: `Show the drift policy of a VNF instance. A flag changes one value of the policy and leaves the
others. Without a policy Windlass checks only on request and after notifications, and heals nothing by itself.`,
		Example: `  windlass vnf drift-policy edge-1
  windlass vnf drift-policy edge-1 --every 5m --auto-heal --agreeing-checks 3
  windlass vnf drift-policy edge-1 --auto-heal=false
  windlass vnf drift-policy edge-1 --off`,
		Args: exactly("ID"),
	}
	flags := cmd.Flags()
	flags.DurationVar(&every, "every", 0, "interval between two checks, like 5m")
	flags.BoolVar(&off, "off", false, "end the checks by schedule, and the heals unless you give --auto-heal, too")
	flags.BoolVar(&autoHeal, "auto-heal", false, "heal VNFCs that do not work")
	flags.IntVar(&agreeing, "agreeing-checks", 0,
		"number of checks in a row that must find the same fault before Windlass heals a VNFC")
	flags.IntVar(&maxHeals, "max-heals", 0, "largest number of automatic heals within --max-heals-period")
	flags.DurationVar(&period, "max-heals-period", 0, "period for --max-heals, like 1h")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if off && flags.Changed("every") {
			return usageErrorf(cmd, "Give either --every or --off.")
		}
		path := driftPath(args[0]) + "_policy"
		var raw json.RawMessage
		if err := c.client.get(cmd.Context(), path, &raw); err != nil {
			return err
		}
		policy, err := decode[lcm.DriftPolicy](raw)
		if err != nil {
			return err
		}
		wanted := policy
		for name, set := range map[string]func(){
			"every":            func() { wanted.Check, wanted.Interval = true, int(every.Seconds()) },
			"off":              func() { wanted.Check, wanted.AutoHeal = wanted.Check && !off, wanted.AutoHeal && !off },
			"agreeing-checks":  func() { wanted.AgreeingChecks = agreeing },
			"max-heals":        func() { wanted.MaxHeals = maxHeals },
			"max-heals-period": func() { wanted.MaxHealsPeriod = int(period.Seconds()) },
		} {
			if flags.Changed(name) {
				set()
			}
		}
		if flags.Changed("auto-heal") { // also beside --off
			wanted.AutoHeal = autoHeal
		}
		if wanted != policy {
			if _, err := c.client.send(cmd.Context(), http.MethodPut, path, wanted, &raw); err != nil {
				return err
			}
			policy = wanted
		}
		return c.print(raw, func(w io.Writer) { printDriftPolicy(w, policy) })
	}
	return cmd
}

func printDriftPolicy(w io.Writer, p lcm.DriftPolicy) {
	check := "on request and by notification"
	if p.Check {
		check = "every " + (time.Duration(p.Interval) * time.Second).String()
	}
	field(w, "Checked", check)
	heals := "no"
	if p.AutoHeal {
		heals = fmt.Sprintf("yes, when %d checks in a row agree", p.AgreeingChecks)
	}
	field(w, "Healed automatically", heals)
	field(w, "Heals at most", fmt.Sprintf("%d within %s", p.MaxHeals, time.Duration(p.MaxHealsPeriod)*time.Second))
}
