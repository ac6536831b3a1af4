package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// operationsPage is the page that TestReference_hasTheOperations compares with the table of operations, and updates.
const operationsPage = "reference/operations.md"

// TestReference_hasTheOperations generates a page from the table of operations.
func TestReference_hasTheOperations(t *testing.T) {
	var text strings.Builder
	text.WriteString(strings.ReplaceAll(`# Operations

The lifecycle operations of SOL003 and what Windlass makes of them. This page is generated from the code
('go tool task docs:generate'). A task is a POST below '/vnflcm/v1/vnf_instances/{vnfInstanceId}' or
'/vnflcm/v2/vnf_instances/{vnfInstanceId}'; a modification is a PATCH of the instance. An operation without a grant begins
in PROCESSING. The hooks are names in the interface Vnflcm of a VNFD, each with the ends '_start' and '_end'.
No VNF supports the other operations of the standard: their tasks are a 404.

| Operation | Task | Versions | The VNF must be | Grant | Rollback | Hooks |
|---|---|---|---|---|---|---|
`, "'", "`"))
	for _, o := range lcm.Operations {
		if o.Supported() {
			fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s | `%s` |\n", o.Name, taskOf(o), versionsOf(o), needsOf(o),
				yes(o.Granted), yes(o.RollsBack), strings.Join(o.Hooks, "`, else `"))
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(operationsPage, []byte(text.String()), 0o644)) //nolint:gosec // for everybody
	}
	require.True(t, text.String() == page(t, operationsPage),
		"%s is not the table of operations. Run: go tool task docs:generate", operationsPage)
}

func taskOf(o lcm.OperationType) string {
	if o.Task == "" {
		return "PATCH"
	}
	return "`" + o.Task + "`"
}

func versionsOf(o lcm.OperationType) string {
	if o.Since == 1 {
		return "v1, v2"
	}
	return fmt.Sprintf("v%d", o.Since)
}

func needsOf(o lcm.OperationType) string {
	needs := string(o.Needs)
	if o.Needs == "" {
		needs = "in any state"
	}
	if o.Started {
		needs += ", STARTED"
	}
	if o.Scaling {
		needs += ", with a scaling aspect"
	}
	return needs
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
