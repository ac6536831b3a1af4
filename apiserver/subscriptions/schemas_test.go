package subscriptions

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/internal/store"
)

// TestViews_areTheSchemas compares answers with openapi.yaml.
func TestViews_areTheSchemas(t *testing.T) {
	for schema, view := range map[string]any{
		"LccnSubscription": subscriptionView{},
		"PkgmSubscription": pkgSubscriptionView{},
		"DeadLetter":       deadLetterView{},
	} {
		differences, err := apitest.SchemaDifferences(schema, view)
		require.NoError(t, err)
		assert.Empty(t, differences, schema)
	}
}

// TestViews_haveOnlyAttributesThatFiltersFind requires a place in the database for each attribute of an answer.
func TestViews_haveOnlyAttributesThatFiltersFind(t *testing.T) {
	for _, view := range []reflect.Type{reflect.TypeFor[subscriptionView](), reflect.TypeFor[pkgSubscriptionView]()} {
		apitest.RequireFound(t, view, nil, store.SubscriptionAttributes.Finds)
	}
}
