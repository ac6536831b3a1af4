package params_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/params"
)

func TestMeant_findsTheWordThatIsLikeIt(t *testing.T) {
	known := []string{"username", "password", "ssh_port", "FAILED_TEMP", "region"}
	for word, want := range map[string]string{
		"pasword": "password", "passwd": "password", "user_name": "username", "ssh_prt": "ssh_port", "sshPort": "ssh_port",
		"FAILEDTEMP": "FAILED_TEMP", "area": "", "helm_info": "", "region": "region", "": "",
	} {
		require.Equal(t, want, params.Meant(word, known), word)
	}
}
