package secrets_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

func TestClear_findsWhatWouldBeSealed(t *testing.T) {
	t.Parallel()
	values, err := secrets.Clear([]byte(`{"name":"edge","password":"p-1","helmparameter":["db.token=t-2","a=b"],"pin_secret":7}`))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"p-1", "db.token=t-2", "t-2", "7"}, values)
	values, err = secrets.Clear(nil)
	require.NoError(t, err)
	require.Empty(t, values)
}

func TestClear_refusesReferencesToSecrets(t *testing.T) {
	t.Parallel()
	_, err := secrets.Clear([]byte(`{"accessInfo":{"password":{"$secret":"instances/other/password"}}}`))
	require.True(t, lcm.Is(err, lcm.KindInvalid))
	require.ErrorContains(t, err, "$.accessInfo.password")
}
