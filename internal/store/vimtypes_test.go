package store_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// TestMigrate_recordsWhatTheVimCallsResources migrates rows of a former release, which are all about OpenStack. They
// get the words that the former release has shown for them.
func TestMigrate_recordsWhatTheVimCallsResources(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("migrations/00017_vim_types.sql")
	require.NoError(t, err)
	up, _, _ := strings.Cut(string(text), "-- +goose Down")
	conn, err := pgx.Connect(t.Context(), pgtest.URL(t))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `create temporary table vnf_instance (id int, instantiated jsonb)`)
	require.NoError(t, err)
	for id, instantiated := range []string{
		`{"attached":[{"type":"STORAGE","resourceId":"v"},{"type":"LINKPORT","resourceId":"p"},{"type":"VL","resourceId":"n"}],
			"extCpInfo":[{"id":"a","extLinkPortId":"p"},{"id":"b"}]}`,
		`{"flavourId":"simple"}`, `{"attached":[],"extCpInfo":null}`,
	} {
		_, err = conn.Exec(t.Context(), `insert into vnf_instance values ($1, $2)`, id, instantiated)
		require.NoError(t, err)
	}
	_, err = conn.Exec(t.Context(), `insert into vnf_instance values (3, null)`)
	require.NoError(t, err)

	for range 2 {
		_, err = conn.Exec(t.Context(), up)
		require.NoError(t, err)
	}
	rows, err := conn.Query(t.Context(), `select instantiated from vnf_instance order by id`)
	require.NoError(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
	require.NoError(t, err)
	require.JSONEq(t, `{"attached":[{"type":"STORAGE","resourceId":"v","vimType":"OS::Cinder::Volume"},
		{"type":"LINKPORT","resourceId":"p","vimType":"OS::Neutron::Port"},
		{"type":"VL","resourceId":"n","vimType":"OS::Neutron::Net"}],
		"extCpInfo":[{"id":"a","extLinkPortId":"p","portType":"OS::Neutron::Port"},{"id":"b"}]}`, string(got[0]))
	require.JSONEq(t, `{"flavourId":"simple"}`, string(got[1]))
	require.JSONEq(t, `{"attached":[],"extCpInfo":null}`, string(got[2]))
	require.Empty(t, got[3])
}
