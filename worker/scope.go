package worker

import (
	"context"
	"sync"

	"go.temporal.io/sdk/interceptor"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// keptProjects bounds the memory of a scoper.
const keptProjects = 4096

// scoper limits every activity to the project of its operation, VNF instance, package or subscription. Whatever the
// activity looks up or makes is of that project. An activity that does not name its subject fails: nothing in a worker
// may see all projects.
type scoper struct {
	interceptor.WorkerInterceptorBase
	// projectOf is NotFound when the subject is gone.
	projectOf func(ctx context.Context, of lcm.Subject) (lcm.ProjectID, error)

	mu sync.Mutex
	// kept are projects that were looked up. They never change, and an operation has hundreds of activities.
	kept map[lcm.Subject]lcm.ProjectID
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (s *scoper) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &scopedActivity{
		ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next},
		scoper:                         s,
	}
}

type scopedActivity struct {
	interceptor.ActivityInboundInterceptorBase
	scoper *scoper
}

// ExecuteActivity implements interceptor.ActivityInboundInterceptor.
func (a *scopedActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	scoped, err := a.scoper.scope(ctx, in.Args)
	if err != nil {
		return nil, activities.Failed(ctx, "find the project of the work", err)
	}
	return a.Next.ExecuteActivity(operations.Once(scoped), in)
}

// scope is the context of an activity with these arguments.
func (s *scoper) scope(ctx context.Context, args []any) (context.Context, error) {
	subject, err := subjectOf(args)
	if err != nil {
		return nil, err
	}
	if id, ok := s.known(subject); ok {
		return lcm.InProject(ctx, id), nil
	}
	id, err := s.projectOf(ctx, subject)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return lcm.InProject(ctx, ""), nil // sees nothing: the activity finds this out itself, and knows its meaning
	case err != nil:
		return nil, err
	}
	s.keep(subject, id)
	return lcm.InProject(ctx, id), nil
}

func subjectOf(args []any) (lcm.Subject, error) {
	if len(args) > 0 {
		if in, ok := args[0].(activities.Subjective); ok && in.Subject() != (lcm.Subject{}) {
			return in.Subject(), nil
		}
	}
	return lcm.Subject{}, lcm.Errorf(lcm.KindBug,
		"An activity does not say what it is about, so Windlass cannot limit it to a project.")
}

func (s *scoper) known(of lcm.Subject) (lcm.ProjectID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.kept[of]
	return id, ok
}

func (s *scoper) keep(of lcm.Subject, id lcm.ProjectID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= keptProjects {
		s.kept = map[lcm.Subject]lcm.ProjectID{}
	}
	s.kept[of] = id
}
