package kubernetes

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// masked replaces secrets in an error from the cluster.
func masked(err error, secrets []string) error {
	failed, ok := err.(*lcm.Error) //nolint:errorlint // only the error itself is shown, not what it wraps
	if !ok {
		return err
	}
	clean := *failed
	clean.Detail = without(clean.Detail, secrets)
	clean.Problems = slices.Clone(failed.Problems)
	for i := range clean.Problems {
		clean.Problems[i].Detail = without(clean.Problems[i].Detail, secrets)
	}
	clean.Err = nil
	return &clean
}

// maskedLines replaces secrets in the lines for show.
func maskedLines(show func(string), secrets []string) func(string) {
	return func(line string) { show(without(line, secrets)) }
}

func without(text string, secrets []string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}
