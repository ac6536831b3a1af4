package kubernetes

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is unpacked never becomes larger than its limit, however often a text is in it.
func FuzzUnpack_isBounded(f *testing.F) {
	const most = 1 << 20
	f.Add(`{"a":[1,2]}`, uint32(1))
	f.Add("[", uint32(1_000_000))
	f.Add(`{"kind":"a"},`, uint32(200_000))
	f.Add(" ", uint32(8<<20))
	f.Fuzz(func(t *testing.T, piece string, times uint32) {
		text := strings.Repeat(piece, int(min(times, 16<<20/uint32(max(1, len(piece))))))
		var value any
		switch err := unpack(pack([]byte(text)), most, &value); {
		case len(text) > most:
			require.ErrorContains(t, err, "larger than the limit of 1 MiB")
			require.Nil(t, value)
		case err == nil:
			become, err := json.Marshal(value)
			require.NoError(t, err)
			assert.LessOrEqual(t, len(become), 6*len(text)+8)
		}
	})
}
