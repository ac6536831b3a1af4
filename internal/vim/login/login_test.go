package login_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/vim/login"
)

func TestUnfoldPEM_givesLinesBack(t *testing.T) {
	t.Parallel()
	const two = "-----BEGIN CERTIFICATE-----\nMIIB\nAAAA\n-----END CERTIFICATE-----\n" +
		"-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"
	require.Equal(t, two, login.UnfoldPEM(strings.Join(strings.Fields(two), " ")))
	require.Equal(t, two, login.UnfoldPEM(two))
	require.Equal(t, "no PEM", login.UnfoldPEM("no PEM"))
}
