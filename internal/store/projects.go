package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// No method takes a project as an argument: the project is the scope of the context (lcm.ScopeOf). The API server sets
// it for a request, and the worker for an activity. New resources belong to the scope's project, and resources outside
// the scope do not exist for the caller. In a context without a limit, making a resource or finding it by name is a
// Bug.

// ofProject is the condition of a statement that reads or changes a resource named by a client; owned adds its
// arguments.
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

// ownedBy is owned for a statement that makes a resource, or reads it by its name: such a statement needs exactly one
// project. what describes the statement in an error.
func ownedBy(ctx context.Context, what string, args pgx.NamedArgs) (pgx.NamedArgs, error) {
	if _, err := lcm.OwnProject(ctx, what); err != nil {
		return nil, err
	}
	return owned(ctx, args), nil
}

// ProjectOf returns the project of the resource that a piece of work is about; NotFound when the resource is gone.
func (s *Store) ProjectOf(ctx context.Context, of lcm.Subject) (lcm.ProjectID, error) {
	args := pgx.NamedArgs{
		"operation": of.OpOccID, "instance": of.VnfInstanceID, "package": of.VnfPkgID, "subscription": of.SubscriptionID,
		"delivery": of.DeliveryID,
	}
	for _, from := range []struct {
		given bool
		sql   string
	}{
		{of.OpOccID != "", `select project_id from vnf_lcm_op_occ where id = @operation`},
		{of.VnfInstanceID != "", `select project_id from vnf_instance where id = @instance`},
		{of.VnfPkgID != "", `select project_id from vnf_pkg where id = @package`},
		{of.SubscriptionID != "", `select project_id from subscription where id = @subscription`},
		{of.DeliveryID != 0, `select project_id from subscription where id = (select subscription_id from delivery where id = @delivery)`},
	} {
		if from.given {
			return one(ctx, s.pool, pgx.RowTo[lcm.ProjectID],
				lcm.Errorf(lcm.KindNotFound, "The subject of the work does not exist any more: %+v.",
					of), from.sql, args)
		}
	}
	return "", lcm.Errorf(lcm.KindBug, "Work without a subject has no project.")
}

// limit adds the scope of the context to the conditions of a list. A scope that sees everything adds no condition.
func (w *where) limit(ctx context.Context) *where {
	if scope := lcm.ScopeOf(ctx); !scope.All {
		w.add("project_id = " + w.arg(scope.Project))
	}
	return w
}
