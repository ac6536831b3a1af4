package openstacktest

import (
	"slices"
	"strings"
	"time"

	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackevents"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const scalable = header + `
resources:
  group:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 3, desired_capacity: 1, resource: {type: OS::Heat::TestResource}}
  out:
    type: OS::Heat::ScalingPolicy
    properties: {adjustment_type: change_in_capacity, scaling_adjustment: 1, cooldown: 0, auto_scaling_group_id: {get_resource: group}}
  in:
    type: OS::Heat::ScalingPolicy
    properties: {adjustment_type: change_in_capacity, scaling_adjustment: -1, cooldown: 0, auto_scaling_group_id: {get_resource: group}}
`

func (s *site) signals() {
	id := s.create(s.stack(scalable, nil, nil), silent)
	first := s.members()
	require.Len(s, first, 1)
	require.NoError(s, s.cloud.Signal(s.Context(), s.name, owner, "out"))
	s.awaitSignals(id, "out", 1)
	require.Len(s, s.members(), 2)

	address, err := s.cloud.AlarmURL(s.Context(), s.name, owner, "out")
	require.NoError(s, err)
	require.NoError(s, s.cloud.SignalAlarm(s.Context(), address))
	s.awaitSignals(id, "out", 2)
	require.Len(s, s.members(), 3)

	require.NoError(s, s.cloud.Signal(s.Context(), s.name, owner, "in"))
	s.awaitSignals(id, "in", 1)
	require.Len(s, s.members(), 2)
	require.NotContains(s, s.members(), first[0], "the oldest goes")

	s.requireKind(lcm.KindNotFound, s.cloud.Signal(s.Context(), s.name, owner, "nothing"))
	_, err = s.cloud.AlarmURL(s.Context(), s.name, owner, "group")
	s.requireKind(lcm.KindInvalid, err, "alarm_url")
	s.requireKind(lcm.KindDenied, s.cloud.SignalAlarm(s.Context(), forged(address)))
}

// forged returns an alarm URL with a wrong signature.
func forged(address string) string {
	before, after, _ := strings.Cut(address, "Signature=")
	return before + "Signature=forged" + strings.TrimLeft(after,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+/=")
}

// members returns the ids of the group's members, the oldest first.
func (s *site) members() []string {
	s.Helper()
	list, err := s.inventory().MemberResources("group")
	require.NoError(s, err)
	out := make([]string, 0, len(list))
	for _, r := range list {
		out = append(out, r.ID)
	}
	return out
}

// awaitSignals waits until a policy has executed n signals. Until then, its group executes no other signal.
func (s *site) awaitSignals(id, policy string, n int) {
	s.Helper()
	heat := s.service(client.NewOrchestrationV1)
	require.Eventually(s, func() bool {
		var answer struct{ Events []stackevents.Event }
		// gophercloud's paging would never end: Heat ignores markers here.
		_, err := heat.Get(s.Context(), heat.ServiceURL("stacks", s.name, id, "resources", policy, "events"), &answer, nil) //nolint:bodyclose // gophercloud closes what it decodes
		obeyed := slices.DeleteFunc(answer.Events,
			func(e stackevents.Event) bool { return e.ResourceStatus != "SIGNAL_COMPLETE" })
		return err == nil && len(obeyed) == n
	}, s.Patience, 200*time.Millisecond)
}
