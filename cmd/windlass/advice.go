package main

import (
	"context"
	"fmt"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// advice tells what an instance waits for: a decision on an operation, or another heal after a heal of the entire VNF
// was given up. If the data for advice cannot be read, there is none.
func (c *cli) advice(ctx context.Context, vnf string) []string {
	operations := c.client.lcm + "/vnf_lcm_op_occs"
	waiting, err := list[opOcc](ctx, c.client, operations+filter(eq{"vnfInstanceId", vnf},
		eq{"operationState", string(lcm.FailedTemp)}))
	if err != nil {
		return nil
	}
	for _, o := range waiting {
		if o.State == lcm.FailedTemp {
			return []string{fmt.Sprintf("decide about the %s that has failed: windlass op show %s", o.Operation, o.ID)}
		}
	}
	heals, err := list[opOcc](ctx, c.client, operations+filter(
		eq{"vnfInstanceId", vnf}, eq{"operation", string(lcm.OpHeal)}, eq{"operationState", string(lcm.Failed)}))
	if err != nil {
		return nil
	}
	var last opOcc
	for _, o := range heals {
		if o.Operation == lcm.OpHeal && o.State == lcm.Failed && o.Start.After(last.Start) && c.isWhole(ctx, o.ID) {
			last = o
		}
	}
	if last.ID == "" || c.madeGood(ctx, vnf, last.Start) {
		return nil
	}
	return []string{fmt.Sprintf("the heal of the entire VNF (%s) was given up, so recorded resources may not exist; "+
		"heal the entire VNF again: windlass vnf heal %s --all%s", last.ID, vnf, c.volumesOf(ctx, last.ID))}
}

// volumesOf is the flag that repeats a heal's choice of new volumes, "" if the heal did not make it. Without the flag,
// a heal of a registry is no heal of the entire VNF.
func (c *cli) volumesOf(ctx context.Context, op string) string {
	var heal struct {
		Params struct {
			Additional map[string]any `json:"additionalParams"`
		} `json:"operationParams"`
	}
	err := c.client.get(ctx, c.client.lcm+"/vnf_lcm_op_occs/"+op, &heal)
	params := heal.Params.Additional
	if err != nil || fmt.Sprint(params[lcm.KeepVolumes]) != "false" && fmt.Sprint(params[lcm.HealAll]) != "true" {
		return ""
	}
	return " --keep-volumes=false"
}

// isWhole tells whether a heal was a heal of the entire VNF.
func (c *cli) isWhole(ctx context.Context, op string) bool {
	var plan struct {
		Whole bool `json:"whole"`
	}
	return c.client.get(ctx, progressPath+"/"+op+"/plan", &plan) == nil && plan.Whole
}

// madeGood tells whether an operation has come to a good end since then that has made something of the VNF.
func (c *cli) madeGood(ctx context.Context, vnf string, since time.Time) bool {
	done, err := list[opOcc](ctx, c.client, c.client.lcm+"/vnf_lcm_op_occs"+filter(eq{"vnfInstanceId", vnf},
		eq{"operationState", string(lcm.Completed)}))
	for _, o := range done {
		if o.State == lcm.Completed && o.Start.After(since) && o.Operation != lcm.OpModifyInfo &&
			o.Operation != lcm.OpOperate {
			return true
		}
	}
	return err != nil
}
