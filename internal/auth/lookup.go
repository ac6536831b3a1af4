package auth

import "context"

type lookupKey struct{}

// LimitLookups makes a context that limits lookups of unknown credentials at other servers, such as Keystone. Each
// lookup calls begin first. begin refuses with an error, which is the answer to the request; else end is called after
// the lookup's answer.
func LimitLookups(ctx context.Context, begin func() (end func(), err error)) context.Context {
	return context.WithValue(ctx, lookupKey{}, begin)
}

// beginLookup calls the limit in ctx; without a limit everything is allowed.
func beginLookup(ctx context.Context) (end func(), err error) {
	if begin, ok := ctx.Value(lookupKey{}).(func() (func(), error)); ok {
		return begin()
	}
	return func() {}, nil
}
