package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// decode reads the members that a table needs. The raw resource is kept unchanged for --json.
func decode[T any](raw json.RawMessage) (T, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("read the API's answer: %w", err)
	}
	return v, nil
}

func decodeAll[T any](raw []json.RawMessage) ([]T, error) {
	all := make([]T, 0, len(raw))
	for _, r := range raw {
		v, err := decode[T](r)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
