package reach

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/windlass-nfv/windlass/internal/remote"
)

func TestFollow_leavesTheCommandOfAnUnheardAttemptAlone(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	command, leave := follow(ctx)
	defer leave()
	cancel(serviceerror.NewUnavailable("away"))
	<-command.Done()
	require.ErrorIs(t, context.Cause(command), remote.ErrDetach)
}
