package params_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/params"
)

func TestRead_refusesNumbersThatWouldLoseDigits(t *testing.T) {
	for _, m := range []params.Manner{lenient, standard} {
		var to struct {
			Any map[string]any  `json:"any"`
			Raw json.RawMessage `json:"raw"`
		}
		problems, _ := m.Read("$", json.RawMessage(`{
			"any": {"serial": [1, {"n": 12345678901234567890}], "k": 9007199254740993, "even": 9007199254740994, "f": 0.1234567890123456789,
				"large": 1e20, "text": "12345678901234567890", "least": -9007199254740993},
			"raw": {"n": 12345678901234567890}}`), &to)
		const why = "is a whole number that would lose digits: give it as a text, in quotation marks"
		var at []string
		for _, p := range problems {
			at = append(at, p.Path)
			assert.Contains(t, p.Detail, why)
		}
		assert.Equal(t, []string{"$.any.k", "$.any.least", "$.any.serial[1].n"}, at)
		assert.JSONEq(t, `{"n": 12345678901234567890}`, string(to.Raw))
	}
}

func TestUnmarshal_keepsDigits(t *testing.T) {
	v, err := params.Unmarshal([]byte(`{"a": [1, 12345678901234567890, 1.50]}`))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": []any{1.0, json.Number("12345678901234567890"), 1.5}}, v)
	_, err = params.Unmarshal([]byte(`{`))
	require.Error(t, err)
}
