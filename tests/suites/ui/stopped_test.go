package ui

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
)

// databaseOfServer names the database of TestServe.
const databaseOfServer = "WINDLASS_TEST_UI_DATABASE"

// TestServe is no test: it is the API server that TestStoppedServer runs in a process of its own.
func TestServe(t *testing.T) {
	database := os.Getenv(databaseOfServer)
	if database == "" {
		return
	}
	db, err := store.Open(t.Context(), database)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "http://" + listener.Addr().String()
	api, err := apiserver.New(apiserver.Options{
		API: config.API{Endpoint: url, PageSize: 50}, Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db),
	})
	require.NoError(t, err)
	fmt.Println(serves + url)
	require.NoError(t, http.Serve(listener, api)) // until its process is killed
}

const serves = "serves at "

// serverProcess is an API server in a process of its own.
type serverProcess struct {
	*testing.T
	url     string
	process *os.Process
}

func startServer(t *testing.T, database string) *serverProcess {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestServe$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), databaseOfServer+"="+database)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url, found := strings.CutPrefix(lines.Text(), serves); found {
			return &serverProcess{t, url, cmd.Process}
		}
	}
	require.FailNow(t, "The server has not begun.")
	return nil
}

func (s *serverProcess) signal(what os.Signal) {
	s.Helper()
	require.NoError(s, s.process.Signal(what))
}

// TestStoppedServer stops the API server as SIGSTOP does it: its connections stand, and nothing comes from them. The
// page must say so, and must go on by itself.
func TestStoppedServer(t *testing.T) {
	database := pgtest.URL(t)
	db, err := store.Open(t.Context(), database)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	p := &page{store: db}
	server := startServer(t, database)
	p.browser = open(t, server.url+"/ui/")
	p.says(".live", "Live")
	p.connect(t, database)
	p.onboard(t, lcm.DefaultProject)
	ctx := lcm.WithScope(t.Context(), lcm.Scope{Project: lcm.DefaultProject})
	require.NoError(t, db.CreateInstance(ctx, lcm.VnfInstance{
		ID: lcm.VnfInstanceID(idOf("edge")), Name: "edge", VnfPkgID: "package", VnfdID: "vnfd", InstantiationState: lcm.NotInstantiated,
	}))
	p.url = server.url + "/ui/"
	p.goTo("instances?search=edge")
	p.says("table", "edge")

	server.signal(syscall.SIGSTOP)
	p.click("td a.name")
	p.shows(`[String(document.getElementById("waiting").hidden)]`, "false")
	p.says(".problem", "The server does not answer. The page tries again by itself.")
	p.shows(`[String(document.getElementById("waiting").hidden)]`, "true")
	p.says(".live", "Connecting")
	server.signal(syscall.SIGCONT)
	p.says(".live", "Live")
	p.says("h1", "edge")

	stopped := time.Now()
	server.signal(syscall.SIGSTOP) // and nobody asks for anything
	p.says(".live", "Connecting")
	require.Less(t, time.Since(stopped), 50*time.Second)
	server.signal(syscall.SIGCONT)
	p.says(".live", "Live")
}
