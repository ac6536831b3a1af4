package dev

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnnounce_namesWhereToLook(t *testing.T) {
	var out strings.Builder
	one := &tree{opts: Options{Out: &out, Endpoint: "http://127.0.0.1:9890", UI: "127.0.0.1:8233"}}
	one.announce(time.Second)
	for _, address := range []string{
		"http://127.0.0.1:9890/ui\n", "http://127.0.0.1:9890/docs ", "http://127.0.0.1:9890/docs/api)", "http://127.0.0.1:8233/",
	} {
		require.Contains(t, out.String(), address)
	}

	out.Reset()
	one.opts.NoAPIServer = true
	one.announce(time.Second)
	require.NotContains(t, out.String(), ":9890/", "nobody answers there")
}
