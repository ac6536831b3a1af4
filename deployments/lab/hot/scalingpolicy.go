package hot

import (
	"context"
	"math"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// scalingPolicy is OS::Heat::ScalingPolicy.
type scalingPolicy struct{ bare }

func (scalingPolicy) schema() Schema {
	return Schema{Properties: map[string]Property{
		"auto_scaling_group_id": {Type: "string", Required: true},
		"scaling_adjustment":    {Type: "number", Required: true, Updatable: true},
		"adjustment_type": {Type: "string", Required: true, Updatable: true, Allowed: []string{
			"change_in_capacity", "exact_capacity", "percent_change_in_capacity",
		}},
		"cooldown": {Type: "number", Updatable: true}, "min_adjustment_step": {Type: "integer", Updatable: true},
	}, Attributes: []string{"alarm_url", "signal_url"}}
}

func (scalingPolicy) ref(_ *frame, r Resource) any { return r.Name }

func (scalingPolicy) attr(f *frame, r Resource, attr string, path []any) (any, error) {
	return pick(r, map[string]any{
		"alarm_url":  f.e.url(f.e.cfg.AlarmURL, f.stack, r),
		"signal_url": f.e.url(f.e.cfg.SignalURL, f.stack, r),
	}, attr, path)
}

func (e *Engine) url(make func(Stack, string) string, st Stack, r Resource) string {
	if make == nil {
		return ""
	}
	return make(st, r.Name)
}

// scale executes a signal to a policy. It does nothing when a scaling of the group is under way, the cool-down has not
// passed, or the size would not change.
func (e *Engine) scale(st Stack, policy Resource) error {
	group, ok := e.groupOf(st, text(policy.Properties["auto_scaling_group_id"]))
	if !ok {
		return errorf(NotFound,
			"Alarm %s could not find scaling group named \"%s\"", policy.Name, text(policy.Properties["auto_scaling_group_id"]))
	}
	child, ok := state.Load(e.store, stacks, group.UID)
	if !ok || child.Status == InProgress || e.cooling(policy, child) {
		return nil
	}
	have := len(e.members(group, false))
	size := clamp(adjusted(have, policy.Properties), group.Properties)
	if size == have {
		return nil
	}
	if err := e.begin(&child, Update, nil); err != nil {
		return err
	}
	e.start(child, func(ctx context.Context) error {
		f, err := e.load(ctx, st)
		if err != nil {
			return e.finish(ctx, child, Update, err)
		}
		if err := (scalingGroup{}).resize(ctx, f, group, definitionOf(group.Properties["resource"]), size); err != nil {
			return err
		}
		return e.signalled(st, policy)
	})
	return nil
}

// cooling reports whether the policy's cool-down since the group's last change still runs.
func (e *Engine) cooling(policy Resource, group Stack) bool {
	secs, ok := Number(policy.Properties["cooldown"])
	return ok && !group.Updated.IsZero() && e.now().Sub(group.Updated).Seconds() < secs
}

func (e *Engine) groupOf(st Stack, ref string) (Resource, bool) {
	for _, r := range state.LoadAll(e.store, resources, st.ID+"/") {
		if !r.Replaced && (r.FullName == ref || r.Name == ref || r.UID == ref) {
			return r, true
		}
	}
	return Resource{}, false
}

// adjusted follows Heat's calculate_new_capacity; percentages are rounded away from zero to at least one.
func adjusted(have int, props map[string]any) int {
	by, _ := Number(props["scaling_adjustment"])
	switch text(props["adjustment_type"]) {
	case "exact_capacity":
		return int(by)
	case "percent_change_in_capacity":
		delta := by * float64(have) / 100
		step := float64(max(Int(props["min_adjustment_step"], 1), 1))
		if math.Abs(delta) < step {
			delta = math.Copysign(step, by)
		}
		return have + int(delta)
	default:
		return have + int(by)
	}
}
