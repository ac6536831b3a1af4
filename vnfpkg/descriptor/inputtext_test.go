package descriptor_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestWord_isKeptAsItWasRead(t *testing.T) {
	for text, w := range map[string]descriptor.Word{
		`"a"`:                        {Text: "a"},
		`{"input":"a"}`:              {Input: "a", Required: true},
		`{"input":"a","default":""}`: {Input: "a"},
		`{"input":"a","default":"b"}`: {
			Input: "a", Text: "b",
		},
	} {
		doc, err := json.Marshal(w)
		require.NoError(t, err)
		require.JSONEq(t, text, string(doc))
		var again descriptor.Word
		require.NoError(t, json.Unmarshal(doc, &again))
		require.Equal(t, w, again)
	}
	require.Error(t, json.Unmarshal([]byte(`[]`), &descriptor.Word{}))
}
