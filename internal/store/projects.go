package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// A project is an argument of no method: it is the scope of the context (lcm.ScopeOf), which the API server sets for a request
// and nobody for Windlass's own work. What is made belongs to its project; what it does not see does not exist for it.

// ofProject is the condition of a statement that reads or changes what a client names, with the arguments of owned.
const ofProject = ` (@everything::boolean or project_id = @owner::text)`

// owned adds the scope of the context to the arguments of a statement.
func owned(ctx context.Context, args pgx.NamedArgs) pgx.NamedArgs {
	scope := lcm.ScopeOf(ctx)
	if args == nil {
		args = pgx.NamedArgs{}
	}
	args["owner"], args["everything"] = scope.Project, scope.All
	return args
}

// limit adds the scope of the context to the conditions of a list. Who sees everything costs no condition.
func (w *where) limit(ctx context.Context) *where {
	if scope := lcm.ScopeOf(ctx); !scope.All {
		w.add("project_id = " + w.arg(scope.Project))
	}
	return w
}
