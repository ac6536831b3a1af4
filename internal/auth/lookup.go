package auth

import "context"

type lookupKey struct{}

// LimitLookups has begin called before anybody else, such as Keystone, is asked about credentials of a request that are
// not known yet. begin refuses with an error, which is the answer to the request; else end is called when the answer
// has come.
func LimitLookups(ctx context.Context, begin func() (end func(), err error)) context.Context {
	return context.WithValue(ctx, lookupKey{}, begin)
}

// beginLookup asks the limit in ctx; without one everything is allowed.
func beginLookup(ctx context.Context) (end func(), err error) {
	if begin, ok := ctx.Value(lookupKey{}).(func() (func(), error)); ok {
		return begin()
	}
	return func() {}, nil
}
