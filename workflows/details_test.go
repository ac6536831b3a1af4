package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestDetails_tellWhatCanBeDone(t *testing.T) {
	t.Parallel()
	const steps = "- ✔ Create the infrastructure\n- ✘ Join the other nodes\n"
	for name, c := range map[string]struct {
		operation lcm.Operation
		status    lcm.OperationStatus
		want      string
	}{
		"under way": {
			lcm.OpInstantiate, lcm.OperationStatus{State: lcm.Processing}, "**PROCESSING**\n\n",
		},
		"a retry may help": {
			lcm.OpInstantiate,
			lcm.OperationStatus{State: lcm.FailedTemp, Error: lcm.Errorf(lcm.KindBroken, "cp-1 broke.")},
			"**FAILED_TEMP**\n\n> cp-1 broke.\n\n" +
				"- Mend the cause and go on with: `windlass op retry op-1`\n" +
				"- Undo what was done with: `windlass op rollback op-1`\n" +
				"- Leave things as they are with: `windlass op fail op-1`\n\n",
		},
		"only another request helps": {
			lcm.OpScale,
			lcm.OperationStatus{State: lcm.FailedTemp, Error: lcm.Errorf(lcm.KindInvalid, "No such flavor.")},
			"**FAILED_TEMP**\n\n> No such flavor.\n\n" +
				"- Undo it, correct the request, and send it anew: `windlass op rollback op-1`\n" +
				"- Only if the cause is elsewhere, mend it and retry: `windlass op retry op-1`\n" +
				"- Leave things as they are with: `windlass op fail op-1`\n\n",
		},
		"there is no way back": {
			lcm.OpHeal,
			lcm.OperationStatus{State: lcm.FailedTemp, Error: lcm.Errorf(lcm.KindBroken, "cp-1 broke."), ForwardOnly: true},
			"**FAILED_TEMP**\n\n> cp-1 broke.\n\n" +
				"- Mend the cause and go on with: `windlass op retry op-1`\n" +
				"- Leave things as they are with: `windlass op fail op-1`\n\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			op := &operation{in: lcm.OperationInput{OpOccID: "op-1", Operation: c.operation}}
			op.journal.status = c.status
			op.journal.lines = []line{{title: "Create the infrastructure", mark: "✔"}, {title: "Join the other nodes", mark: "✘"}}
			require.Equal(t, c.want+steps, op.details())
		})
	}
}
