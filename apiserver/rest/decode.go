package rest

import "github.com/windlass-nfv/windlass/internal/requests"

// Decode reads a JSON body into T and reports all mistakes at once, each with its JSON path. Members that T does not
// know are ignored, as Tacker does.
func Decode[T any](body []byte) (T, error) {
	out, err := requests.Decode[T](body)
	if err != nil {
		return *new(T), err
	}
	return out, nil
}
