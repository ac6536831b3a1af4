package vnfpkgm_test

import (
	"os"
	"testing"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }
