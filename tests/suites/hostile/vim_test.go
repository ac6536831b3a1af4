package hostile

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// endless sends bytes until the client closes the connection or has read much more than Windlass should read.
func endless(w io.Writer, begin string, sent *atomic.Int64) {
	_, _ = io.WriteString(w, begin)
	chunk := []byte(strings.Repeat("x", 64<<10))
	for sent.Load() < 10*outbound.MaxAnswer {
		n, err := w.Write(chunk)
		sent.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// bomb returns a gzip stream of a few hundred KiB that expands to much more than Windlass should read.
func bomb(t *testing.T) []byte {
	t.Helper()
	var b strings.Builder
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = io.WriteString(z, `{"server": {"id": "`)
	require.NoError(t, err)
	chunk := []byte(strings.Repeat("x", 1<<20))
	for range 4 * outbound.MaxAnswer >> 20 {
		_, err := z.Write(chunk)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return []byte(b.String())
}

// cloud returns a VIM whose Keystone issues tokens, and whose services answer with this handler.
func cloud(t *testing.T, service http.HandlerFunc) lcm.Vim {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	var catalog []any
	for _, kind := range []string{"orchestration", "network", "compute"} {
		catalog = append(catalog, map[string]any{"type": kind, "name": kind, "endpoints": []any{
			map[string]any{"interface": "public", "region": "r", "region_id": "r", "url": server.URL + "/" + kind},
		}})
	}
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "the-token")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"catalog":    catalog,
			"expires_at": "2099-01-01T00:00:00.000000Z",
		}})
	})
	mux.HandleFunc("/", service)
	return lcm.Vim{Name: "hostile", AuthURL: server.URL + "/v3"}
}

func connect(ctx context.Context, vim lcm.Vim, guard outbound.Guard) (*openstack.Cloud, error) {
	return openstack.Connect(ctx, vim, map[string]any{"username": "u", "password": "p"}, guard)
}

// ask reads a server from the VIM.
func ask(t *testing.T, vim lcm.Vim) error {
	t.Helper()
	c, err := connect(t.Context(), vim, outbound.Guard{})
	require.NoError(t, err)
	_, err = c.ServerState(t.Context(), "x")
	require.Error(t, err)
	return err
}

func TestVim_endlessAnswersAreCutShort(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{
		"an answer": http.StatusOK, "an error": http.StatusBadRequest, "a refusal": http.StatusServiceUnavailable,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int64
			err := ask(t, cloud(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				endless(w, `{"server": {"id": "`, &sent)
			}))
			if status == http.StatusOK {
				require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
				require.ErrorContains(t, err, "The VIM's answer is larger than the limit of 16 MiB")
			}
			require.Less(t, len(err.Error()), 128<<10, "the log gets a part of it only")
			require.Less(t, sent.Load(), int64(2*outbound.MaxAnswer), "what is sent beyond is in buffers of the network")
		})
	}
}

func TestVim_endlessAnswerOfKeystoneIsCutShort(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "the-token")
		w.WriteHeader(http.StatusCreated)
		endless(w, `{"token": {"catalog": [{"name": "`, &sent)
	}))
	t.Cleanup(server.Close)
	_, err := connect(t.Context(), lcm.Vim{Name: "hostile", AuthURL: server.URL + "/v3"}, outbound.Guard{})
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "The VIM hostile cannot be used at "+server.URL)
	require.Less(t, sent.Load(), int64(2*outbound.MaxAnswer))
}

func TestVim_compressedAnswersAreNotInflated(t *testing.T) {
	t.Parallel()
	content := bomb(t)
	require.Less(t, len(content), outbound.MaxAnswer/8, "or it is no bomb")
	var offered atomic.Value
	answer := func(w http.ResponseWriter, r *http.Request) {
		offered.Store(r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(content)
	}
	err := ask(t, cloud(t, answer))
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "compresses its answer")
	require.Equal(t, "identity", offered.Load())

	server := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(server.Close)
	_, err = kubernetes.Check(t.Context(), lcm.Vim{Name: "k", AuthURL: server.URL}, map[string]any{"bearer_token": "t"},
		outbound.Guard{})
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "compresses its answer")
}

func TestVim_kubernetesThatIsEndlessOrNeverReady(t *testing.T) {
	t.Parallel()
	var sent, asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer later" {
			asked.Add(1)
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		endless(w, `{"kind": "`, &sent)
	}))
	t.Cleanup(server.Close)
	vim := lcm.Vim{Name: "k", AuthURL: server.URL}
	_, err := kubernetes.Check(t.Context(), vim, map[string]any{"bearer_token": "t"}, outbound.Guard{})
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "The VIM's answer is larger than the limit of 16 MiB")
	require.Less(t, sent.Load(), int64(2*outbound.MaxAnswer))

	_, err = kubernetes.Check(t.Context(), vim, map[string]any{"bearer_token": "later"}, outbound.Guard{})
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err), "%v", err)
	require.EqualValues(t, 1, asked.Load(), "it is not waited for")
}

// TestVim_kubernetesWhoseNamespacesAreTooMuch has a cluster that accepts the credentials, and answers without end only
// when Windlass lists its namespaces.
func TestVim_kubernetesWhoseNamespacesAreTooMuch(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/apis":
			_, _ = io.WriteString(w, `{"kind": "APIGroupList", "apiVersion": "v1", "groups": []}`)
		case r.Header.Get("Authorization") == "Bearer later":
			asked.Add(1)
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			name := strings.Repeat("x", 1<<10)
			_, _ = io.WriteString(w, `{"items": [{"metadata": {"name": "`+name+`"}}`+strings.Repeat(`,{"metadata":{"name":"a"}}`,
				10_000)+`]}`)
		}
	}))
	t.Cleanup(server.Close)
	vim := lcm.Vim{Name: "k", AuthURL: server.URL}
	found, err := kubernetes.Check(t.Context(), vim, map[string]any{"bearer_token": "t"}, outbound.Guard{})
	require.NoError(t, err)
	require.Len(t, found.Regions, 499, "of 500 that are looked at, one is no name")

	found, err = kubernetes.Check(t.Context(), vim, map[string]any{"bearer_token": "later"}, outbound.Guard{})
	require.NoError(t, err)
	require.Empty(t, found.Regions)
	require.EqualValues(t, 3, asked.Load(), "version, namespaces and rights are asked for once each, and not waited for")
}

// TestVim_catalogOfManyRegions has a Keystone whose catalog names far more regions than any real cloud.
func TestVim_catalogOfManyRegions(t *testing.T) {
	t.Parallel()
	var catalog strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&catalog, `,{"interface": "public", "region": "r%06d", "url": "http://127.0.0.1:1"}`, i)
	}
	catalog.WriteString(`,{"region": "` + strings.Repeat("0", 1000) + `"}`)
	kind := "orchestration"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "the-token")
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, `{"token": {"expires_at": "2099-01-01T00:00:00.000000Z", "catalog": [%s,%s,{"type": %q, "endpoints": [%s]}]}}`,
			service("network"), service("compute"), kind, strings.TrimPrefix(catalog.String(), ","))
	}))
	t.Cleanup(server.Close)
	vim := lcm.Vim{Name: "hostile", AuthURL: server.URL + "/v3"}
	c, err := connect(t.Context(), vim, outbound.Guard{})
	require.NoError(t, err)
	require.Len(t, c.Regions(), 500)
	require.Equal(t, "r000002", c.Regions()[3], "after r, r000000 and r000001")

	kind = "dns"
	_, err = connect(t.Context(), vim, outbound.Guard{})
	require.ErrorContains(t, err, "has no orchestration (Heat) endpoint")
	require.Less(t, len(lcm.Sentence(err)), 1000)
}

func TestVim_tokenGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	var stolen atomic.Value
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen.Store(fmt.Sprint(r.Header))
	}))
	t.Cleanup(thief.Close)
	elsewhere := strings.Replace(thief.URL, "127.0.0.1", "localhost", 1)
	err := ask(t, cloud(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
	}))
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "The VIM redirects to another host, localhost:")
	require.Nil(t, stolen.Load())

	server := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusFound))
	t.Cleanup(server.Close)
	_, err = kubernetes.Check(t.Context(), lcm.Vim{Name: "k", AuthURL: server.URL}, map[string]any{"bearer_token": "t"},
		outbound.Guard{})
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
	require.Nil(t, stolen.Load())
}

// TestVim_deniedAddresses uses names and addresses that lead to a denied network, at each place where a VIM may name an
// address.
func TestVim_deniedAddresses(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	vim := cloud(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	guard := outbound.Guard{
		Denied: prefixes("127.0.0.0/8", "::1/128", "169.254.0.0/16", "fd00:ec2::/96"), Section: "vims",
		What: "no VIM and no node may have it",
	}
	port := vim.AuthURL[strings.LastIndexByte(vim.AuthURL, ':'):]
	for _, host := range []string{
		"127.0.0.1", "127.9.9.9", "localhost", "[::ffff:127.0.0.1]", "169.254.169.254",
		"[fd00:ec2::254]",
	} {
		vim.AuthURL = "http://" + host + port
		_, err := connect(t.Context(), vim, guard)
		require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%s: %v", host, err)
		require.ErrorContains(t, err, "no VIM and no node may have it (vims.deniedNetworks)", host)
		_, err = kubernetes.Check(t.Context(), vim, map[string]any{"bearer_token": "t"}, guard)
		require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%s: %v", host, err)
		require.ErrorContains(t, err, "(vims.deniedNetworks)", host)
	}
	require.Zero(t, reached.Load())
}

// TestVim_catalogThatLeadsToADeniedAddress has a Keystone at an allowed address, and services at denied ones.
func TestVim_catalogThatLeadsToADeniedAddress(t *testing.T) {
	t.Parallel()
	guard := outbound.Guard{Denied: prefixes("127.0.0.1/32"), Section: "vims", What: "nobody may have it"}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "the-token")
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprint(w, `{"token": {"expires_at": "2099-01-01T00:00:00.000000Z", "catalog": [`+
			service("orchestration")+`,`+service("network")+`,`+service("compute")+`]}}`)
	}))
	server.Listener = listen(t, "127.0.0.2:0")
	server.Start()
	t.Cleanup(server.Close)
	c, err := connect(t.Context(), lcm.Vim{Name: "hostile", AuthURL: server.URL + "/v3"}, guard)
	require.NoError(t, err)
	_, err = c.ServerState(t.Context(), "x")
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "The address 127.0.0.1 is denied: nobody may have it")
}

func service(kind string) string {
	return `{"type": "` + kind + `", "endpoints": [{"interface": "public", "region": "r", "url": "http://127.0.0.1:1/` +
		kind + `"}]}`
}

// TestVim_pagesOfOtherServersAreNotPassedOn registers addresses of servers that are not VIMs. Windlass must not show
// their pages to the client.
func TestVim_pagesOfOtherServersAreNotPassedOn(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a text":         "inner-secret",
		"a page":         "<html>inner-secret</html>",
		"JSON":           `{"AccessKeyId": "inner-secret"}`,
		"another API's":  `{"kind": "Status", "message": "inner-secret", "code": 400}`,
		"a list":         `["inner-secret"]`,
		"a JSON message": `{"message": "inner-secret"}`,
	} {
		for _, status := range []int{http.StatusBadRequest, http.StatusConflict, http.StatusBadGateway} {
			err := ask(t, cloud(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}))
			require.NotContains(t, lcm.Sentence(err), "inner-secret", name)
			require.Contains(t, lcm.Sentence(err), fmt.Sprint(status), name)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}))
			_, err = connect(t.Context(), lcm.Vim{Name: "v", AuthURL: server.URL}, outbound.Guard{})
			require.Error(t, err)
			require.NotContains(t, lcm.Sentence(err), "inner-secret", name)
			_, err = kubernetes.Check(t.Context(), lcm.Vim{Name: "v", AuthURL: server.URL}, map[string]any{"bearer_token": "t"},
				outbound.Guard{})
			require.Error(t, err)
			require.NotContains(t, lcm.Sentence(err), "inner-secret", name)
			server.Close()
		}
	}
}
