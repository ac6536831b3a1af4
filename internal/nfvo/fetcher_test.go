package nfvo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func fetched(t *testing.T, f *Fetcher, from lcm.PkgSource) (string, error) {
	t.Helper()
	body, err := f.Fetch(t.Context(), from)
	if err != nil {
		return "", err
	}
	defer body.Close()
	b, err := io.ReadAll(body)
	return string(b), err
}

func source(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestFetch_readsWhatTheSourceHas(t *testing.T) {
	moved := source(t, func(w http.ResponseWriter, r *http.Request) {
		require.Empty(t, r.Header.Get("Authorization"), "another host gets no password")
		_, _ = w.Write([]byte("archive"))
	})
	moved = strings.Replace(moved, "127.0.0.1", "localhost", 1)
	first := source(t, func(w http.ResponseWriter, r *http.Request) {
		if user, secret, _ := r.BasicAuth(); user != "u" || secret != password {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, moved, http.StatusFound)
	})
	f := NewFetcher(FetcherOptions{})
	got, err := fetched(t, f, lcm.PkgSource{AddressInformation: first, UserName: "u", Password: password})
	require.NoError(t, err)
	require.Equal(t, "archive", got)
	_, err = fetched(t, f, lcm.PkgSource{AddressInformation: first, UserName: "u", Password: "wrong"})
	require.True(t, lcm.Is(err, lcm.KindDenied), "%v", err)
}

func TestFetch_isNotLedEverywhere(t *testing.T) {
	hits := 0
	inside := source(t, func(http.ResponseWriter, *http.Request) { hits++ })
	f := NewFetcher(FetcherOptions{Denied: []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"),
		netip.MustParsePrefix("::1/128"),
	}})
	_, port, _ := strings.Cut(strings.TrimPrefix(inside, "http://"), ":")
	for _, uri := range []string{inside, "http://localhost:" + port, "http://[::ffff:127.0.0.1]:" + port} {
		_, err := fetched(t, f, lcm.PkgSource{AddressInformation: uri})
		require.ErrorContains(t, err, "packages.deniedNetworks", uri)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "trying again helps nothing: %v", err)
	}
	require.Zero(t, hits)
	for _, uri := range []string{"", "ftp://x/y", "file:///etc/passwd", "http://u:p@x/", "gopher://x"} {
		require.Error(t, f.Check(uri), uri)
	}
	require.ErrorContains(t, NewFetcher(FetcherOptions{HTTPSOnly: true}).Check("http://repo.example"),
		"packages.httpsOnly")
}

func TestFetch_looksAtWhereASourceSendsOn(t *testing.T) {
	loops := 0
	outside := source(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/loop":
			loops++
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	})
	f := NewFetcher(FetcherOptions{})
	_, err := fetched(t, f, lcm.PkgSource{AddressInformation: outside + "/file"})
	require.ErrorContains(t, err, "redirects to another source: must be")
	_, err = fetched(t, f, lcm.PkgSource{AddressInformation: outside + "/loop"})
	require.ErrorContains(t, err, "redirects more than 5 times")
	require.Equal(t, 6, loops)
}

func TestFetch_tellsWhatWaitingCanFix(t *testing.T) {
	status := 0
	uri := source(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	for given, kind := range map[int]lcm.ErrorKind{
		http.StatusNotFound: lcm.KindInvalid, http.StatusNoContent: lcm.KindInvalid, http.StatusForbidden: lcm.KindDenied,
		http.StatusServiceUnavailable: lcm.KindUnavailable, http.StatusTooManyRequests: lcm.KindUnavailable,
	} {
		status = given
		_, err := fetched(t, NewFetcher(FetcherOptions{}), lcm.PkgSource{AddressInformation: uri})
		require.True(t, lcm.Is(err, kind), "%d: %v", given, err)
	}
	broken := source(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("part"))
	})
	_, err := fetched(t, NewFetcher(FetcherOptions{}), lcm.PkgSource{AddressInformation: broken})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
}

func TestFetch_boundsSizeAndSilence(t *testing.T) {
	announced := source(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2000)) })
	secret := source(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 4 {
			_, _ = w.Write(make([]byte, 1000))
			w.(http.Flusher).Flush()
		}
	})
	for _, uri := range []string{announced, secret} {
		_, err := fetched(t, NewFetcher(FetcherOptions{MaxSize: 1500}), lcm.PkgSource{AddressInformation: uri})
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, "api.maxUploadMiB")
	}
	silent := source(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("part"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	_, err := fetched(t, NewFetcher(FetcherOptions{Patience: 50 * time.Millisecond}),
		lcm.PkgSource{AddressInformation: silent})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
}
