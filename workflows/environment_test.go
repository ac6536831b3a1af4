package workflows

import (
	"time"

	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
)

// newEnvironment runs workflows in memory. A busy machine must not look like a deadlock: by default the SDK waits for
// one second only.
func newEnvironment() *testsuite.TestWorkflowEnvironment {
	env := new(testsuite.WorkflowTestSuite).NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{
		DeadlockDetectionTimeout: time.Minute, MaxHeartbeatThrottleInterval: 50 * time.Millisecond,
	})
	return env
}
