package lcm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Temporal takes 4 MiB in a message, and drops the text of a failure far below that: a VNF may have 2,000 objects.
func TestShortened_fitsWhateverAVIMSays(t *testing.T) {
	e := &lcm.Error{Kind: lcm.KindInvalid, Detail: "The VIM would refuse objects of the VNF; nothing was made."}
	for i := range 2000 {
		e.Problems = append(e.Problems, lcm.Problem{
			Path: fmt.Sprintf("ConfigMap default/c%d", i), Detail: strings.Repeat("é", 32<<10),
		})
	}
	short := e.Shortened()
	text, err := json.Marshal(short)
	require.NoError(t, err)
	assert.Less(t, len(text), 128<<10)
	assert.Len(t, short.Problems, 50)
	assert.Equal(t, "The VIM would refuse objects of the VNF; nothing was made (2000 problems; the first 50 follow)", short.Detail)
	assert.LessOrEqual(t, len(short.Headline()), 1<<10)
	assert.True(t, utf8.ValidString(short.Problems[0].Detail))
	assert.Len(t, e.Problems, 2000, "the error itself stays")
}

func TestShortened_leavesOthersAsTheyAre(t *testing.T) {
	e := &lcm.Error{Kind: lcm.KindBroken, Op: "do", Detail: "It failed.", Problems: []lcm.Problem{{Path: "a", Detail: "b"}}}
	assert.Equal(t, e, e.Shortened())
}

func TestCut_endsWithACharacter(t *testing.T) {
	assert.Equal(t, "abc", lcm.Cut("abc", 3))
	assert.Equal(t, "é...", lcm.Cut("éééé", 6))
}
