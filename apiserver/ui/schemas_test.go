package ui

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
)

// TestViews_areTheSchemas compares answers with openapi.yaml.
func TestViews_areTheSchemas(t *testing.T) {
	for schema, view := range map[string]any{
		"PageSettings": settingsView{},
		"PageToken":    tokenView{},
	} {
		differences, err := apitest.SchemaDifferences(schema, view)
		require.NoError(t, err)
		assert.Empty(t, differences, schema)
	}
}
