package openstacktest

import (
	"context"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
)

const eventful = header + `
parameters:
  word: {type: string, default: one}
resources:
  first: {type: OS::Heat::TestResource, properties: {value: {get_param: word}}}
  group:
    type: OS::Heat::ResourceGroup
    depends_on: first
    properties: {count: 2, resource_def: {type: leaf.yaml, properties: {word: {get_param: word}}}}
  last: {type: OS::Heat::TestResource, depends_on: group}
`

var eventfulFiles = map[string]string{"leaf.yaml": header + `
parameters:
  word: {type: string}
resources:
  leaf: {type: OS::Heat::TestResource, properties: {value: {get_param: word}}}
`}

func (s *site) events() {
	var created, updated, deleted lines
	s.create(s.stack(eventful, nil, eventfulFiles), created.add)
	s.requireOrder(&created,
		s.name+" CREATE_IN_PROGRESS", "first CREATE_IN_PROGRESS", "first CREATE_COMPLETE", "group CREATE_IN_PROGRESS",
		"leaf CREATE_IN_PROGRESS in group-", "group CREATE_COMPLETE", "last CREATE_IN_PROGRESS", "last CREATE_COMPLETE",
		s.name+" CREATE_COMPLETE")
	require.Equal(s, 2, strings.Count(created.String(), "leaf CREATE_COMPLETE in group-"), "of nested stacks, too:\n%s",
		&created)

	s.update(map[string]any{"word": "two"}, updated.add)
	s.requireOrder(&updated, s.name+" UPDATE_IN_PROGRESS", "first UPDATE_COMPLETE", "group UPDATE_COMPLETE",
		s.name+" UPDATE_COMPLETE")
	require.NotContains(s, updated.String(), "CREATE")

	s.delete(deleted.add)
	s.requireOrder(&deleted, s.name+" DELETE_IN_PROGRESS", "last DELETE_COMPLETE", "group DELETE_COMPLETE",
		"first DELETE_COMPLETE")
	require.NotContains(s, deleted.String(), "CREATE")
	require.NotContains(s, deleted.String(), "UPDATE")
	for _, told := range []*lines{&created, &updated, &deleted} {
		s.requireOnce(told)
	}
	s.eventsOfAnInterruptedDeletion()
}

// eventsOfAnInterruptedDeletion checks the progress for a caller that joins after the deletion has begun.
func (s *site) eventsOfAnInterruptedDeletion() {
	s.create(s.stack(header+`
resources:
  slow: {type: OS::Heat::TestResource, properties: {action_wait_secs: {delete: 4}}}
`, nil, nil), silent)
	ctx, stop := context.WithTimeout(s.Context(), s.Patience)
	defer stop()
	err := s.cloud.DeleteStack(ctx, s.name, owner, func(line string) {
		if line == "slow DELETE_IN_PROGRESS" {
			stop()
		}
	})
	require.ErrorIs(s, err, context.Canceled)
	var deleted lines
	s.delete(deleted.add)
	s.requireOrder(&deleted, s.name+" DELETE_IN_PROGRESS", "slow DELETE_IN_PROGRESS", "slow DELETE_COMPLETE")
	require.NotContains(s, deleted.String(), "CREATE")
	s.requireOnce(&deleted)
}

// requireOrder checks that progress had lines with these beginnings, in this order.
func (s *site) requireOrder(told *lines, want ...string) {
	s.Helper()
	all := strings.Split(told.String(), "\n")
	for _, w := range want {
		at := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(line, w) })
		require.GreaterOrEqual(s, at, 0, "%q is missing, or not in its place, in\n%s", w, told)
		all = all[at+1:]
	}
}

// requireOnce checks that progress had no line twice. Lines about members of a group contain the members' names.
func (s *site) requireOnce(told *lines) {
	s.Helper()
	all := strings.Split(told.String(), "\n")
	slices.Sort(all)
	require.Equal(s, slices.Compact(slices.Clone(all)), all)
}
