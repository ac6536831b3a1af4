package openstack

// The small parts that handlers are made of. The router's tables put them together, so that a handler has only what is
// its own.

// given returns a handler that reads the body's member key, or the whole body for "", and calls h with it.
func given[Q any](key string, h func(r *request, q Q) (reply, error)) handler {
	return func(r *request) (reply, error) {
		var q Q
		if err := r.decode(key, &q); err != nil {
			return reply{}, err
		}
		return h(r, q)
	}
}

// with returns a handler that finds the object of the request's path, and calls h with it.
func with[T any](find func(r *request) (T, error), h func(r *request, v T) (reply, error)) handler {
	return func(r *request) (reply, error) {
		v, err := find(r)
		if err != nil {
			return reply{}, err
		}
		return h(r, v)
	}
}

// withGiven is with and given: it finds the object first.
func withGiven[T, Q any](
	find func(r *request) (T, error), key string, h func(r *request, v T, q Q) (reply, error),
) handler {
	return with(find, func(r *request, v T) (reply, error) {
		return given(key, func(r *request, q Q) (reply, error) { return h(r, v, q) })(r)
	})
}

// show returns a handler that answers with the object of the request's path in its envelope.
func show[T any](member string, find func(r *request) (T, error), view func(T) object) handler {
	return with(find, func(_ *request, v T) (reply, error) { return ok(object{member: view(v)}) })
}

// restricted returns a handler that calls may before h; may refuses callers who are not administrators.
func restricted(may func(r *request, rule string) error, rule string, h handler) handler {
	return func(r *request) (reply, error) {
		if err := may(r, rule); err != nil {
			return reply{}, err
		}
		return h(r)
	}
}

// one is an answer with an object in its envelope. If err is not nil, the client gets err instead.
func one(status int, member string, view any, err error) (reply, error) {
	return reply{status: status, body: object{member: view}}, err
}

// empty is an answer without a body. If err is not nil, the client gets err instead.
func empty(status int, err error) (reply, error) { return reply{status: status}, err }

// views returns the views of the objects that a listing shows, never nil.
func views[T any](all []T, shown func(T) bool, view func(T) object) []object {
	out := []object{}
	for _, v := range all {
		if shown(v) {
			out = append(out, view(v))
		}
	}
	return out
}

// first returns the first element for which is returns true.
func first[T any](all []T, is func(T) bool) (v T, found bool) {
	for _, v := range all {
		if is(v) {
			return v, true
		}
	}
	return v, false
}

// listed returns the list, or an empty list for nil: clients expect [] and not null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// mapped returns the map, or an empty map for nil: clients expect {} and not null.
func mapped[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// orNil returns a value, or null for its zero value.
func orNil[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}
