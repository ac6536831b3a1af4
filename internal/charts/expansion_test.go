package charts

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// A chart becomes at most as large as its limits allow, by whatever its templates repeat, and ends in time.
func FuzzRender_isBounded(f *testing.F) {
	f.Add(uint32(3), uint32(4), uint8(1), "x")
	f.Add(uint32(30_000_000), uint32(1), uint8(0), "x")
	f.Add(uint32(1), uint32(1_000_000), uint8(0), "a: b\n")
	f.Add(uint32(10), uint32(10), uint8(12), "{{ .Release.Name }}")
	f.Fuzz(func(t *testing.T, repeated, ranged uint32, nested uint8, piece string) {
		var helpers strings.Builder
		helpers.WriteString(`{{ define "f.0" }}{{ repeat ` + fmt.Sprint(repeated) + ` "x" }}{{ end }}`)
		for n := range int(nested % 32) {
			fmt.Fprintf(&helpers, `{{ define "f.%d" }}{{ include "f.%d" . }}{{ include "f.%[2]d" . }}{{ end }}`, n+1, n)
		}
		chart := a(map[string]string{
			"templates/_helpers.tpl": helpers.String(),
			"templates/page.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: page}\ndata:\n  text: {{ include \"f." +
				fmt.Sprint(nested%32) + "\" . | quote }}\n  list: {{ range until " + fmt.Sprint(ranged) + " }}{{ tpl " +
				fmt.Sprintf("%q", piece) + " $ | quote }}{{ end }}\n",
		})
		began := time.Now()
		made, err := Render(t.Context(), of(chart, nil), 1, Capabilities{Version: "v1.36.0"}, nil)
		require.Less(t, time.Since(began), time.Minute)
		if err != nil {
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			return
		}
		text, err := json.Marshal(made.Objects)
		require.NoError(t, err)
		require.LessOrEqual(t, len(text), largestAnswer)
	})
}
