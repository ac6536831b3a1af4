package hostile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
)

// quick is the patience of the servers; soon is how long the effect may take on a busy machine.
const (
	quick = 500 * time.Millisecond
	soon  = 20 * time.Second
)

// dribble opens a connection and sends the first part of a request, then one byte at a time, slowly.
func dribble(t *testing.T, a *api, head string) *http.Response {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", a.address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, head)
	require.NoError(t, err)
	go func() {
		for tick := time.NewTicker(quick / 10); ; <-tick.C {
			if _, err := io.WriteString(conn, " "); err != nil {
				tick.Stop()
				return
			}
		}
	}()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(soon)))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	return resp
}

func (a *api) allClosed() {
	a.Helper()
	require.Eventually(a, func() bool { return a.open.Load() == 0 }, soon, 10*time.Millisecond, "no connection is held")
}

func begin(method, path, contentType string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nVersion: 2.0.0\r\nContent-Type: " + contentType +
		"\r\nContent-Length: 100000\r\n\r\n"
}

func TestSlowClient_bodyHasToCome(t *testing.T) {
	t.Parallel()
	a := serve(t, func(o *apiserver.Options) { o.Patience = quick })
	resp := dribble(t, a, begin(http.MethodPost, "/vnflcm/v2/vnf_instances", "application/json"))
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestTimeout, resp.StatusCode, "%s", body)
	require.Contains(t, string(body), "The body did not arrive within 500ms.")
	a.allClosed()
}

// TestSlowClient_whoIsRefusedHoldsNothing sends bodies of requests that the server refuses, so that it reads no body.
func TestSlowClient_whoIsRefusedHoldsNothing(t *testing.T) {
	t.Parallel()
	a := serve(t, func(o *apiserver.Options) { o.Patience = quick })
	for head, want := range map[string]int{
		begin(http.MethodPost, "/nothing",
			"application/json"): http.StatusNotFound,
		begin(http.MethodPost, "/vnflcm/v2/vnf_instances",
			"text/plain"): http.StatusUnsupportedMediaType,
		begin(http.MethodGet, "/vnflcm/v2/vnf_instances",
			"application/json"): http.StatusOK,
		strings.Replace(begin(http.MethodPost, "/nothing", "application/json"), "127.0.0.1", "evil.example",
			1): http.StatusForbidden,
	} {
		resp := dribble(t, a, head)
		_ = resp.Body.Close()
		require.Equal(t, want, resp.StatusCode, head)
	}
	a.allClosed()
}

// newPackage creates a VNF package without content and returns the path of its content.
func (a *api) newPackage() string {
	a.Helper()
	req, err := http.NewRequestWithContext(a.Context(), http.MethodPost, "http://"+a.address+"/vnfpkgm/v1/vnf_packages",
		strings.NewReader("{}"))
	require.NoError(a, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(a, err)
	defer resp.Body.Close()
	var made struct{ ID string }
	require.NoError(a, json.NewDecoder(resp.Body).Decode(&made))
	require.Equal(a, http.StatusCreated, resp.StatusCode)
	return "/vnfpkgm/v1/vnf_packages/" + made.ID + "/package_content"
}

func TestSlowClient_uploadHasToGoOn(t *testing.T) {
	t.Parallel()
	a := serve(t, func(o *apiserver.Options) { o.Patience = quick })
	resp := dribble(t, a, begin(http.MethodPut, a.newPackage(), "application/zip"))
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestTimeout, resp.StatusCode, "%s", body)
	require.Contains(t, string(body), "within 500ms, the server received less than 64 KiB")
}

// TestSlowClient_uploadMayTakeLongerThanThePatience uploads for several times the patience, and fast enough.
func TestSlowClient_uploadMayTakeLongerThanThePatience(t *testing.T) {
	t.Parallel()
	a := serve(t, func(o *apiserver.Options) { o.Patience = 2 * time.Second })
	r, w := io.Pipe()
	began := time.Now()
	go func() {
		defer w.Close()
		for tick := time.NewTicker(200 * time.Millisecond); time.Since(began) < 5*time.Second; <-tick.C {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 96<<10)); err != nil {
				return
			}
		}
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+a.address+a.newPackage(), r)
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/zip")
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusBadRequest, resp.StatusCode, "all was read, and is no archive: %s", body)
	require.Greater(t, time.Since(began), 4*time.Second)
}

// TestSlowClient_answerHasToBeTaken requests large answers and reads none of them.
func TestSlowClient_answerHasToBeTaken(t *testing.T) {
	t.Parallel()
	a := serve(t, func(o *apiserver.Options) { o.Patience = quick })
	for range 3 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", a.address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
		for range 20 { // pipelined, on one connection
			_, err = io.WriteString(conn, "GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
			require.NoError(t, err)
		}
	}
	require.Eventually(t, func() bool { return a.open.Load() > 0 }, soon, time.Millisecond)
	a.allClosed()
}

// TestSlowClient_connectionIsUsedAgain uses a client that is not slow: the deadlines of one request must not affect the
// next request on the same connection.
func TestSlowClient_connectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	a := serve(t, func(o *apiserver.Options) { o.Patience = quick })
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	t.Cleanup(client.CloseIdleConnections)
	for i := range 3 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+a.address+"/vnfpkgm/v1/vnf_packages",
			strings.NewReader("{}"))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Expect", "100-continue")
		resp, err := client.Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, http.StatusCreated, resp.StatusCode)
		require.EqualValues(t, 1, a.open.Load(), fmt.Sprint("request ", i))
		ctx, stop := context.WithTimeout(t.Context(), quick+quick/2)
		<-ctx.Done() // a deadline that was not reset would have passed now
		stop()
	}
}
