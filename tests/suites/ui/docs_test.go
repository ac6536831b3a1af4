package ui

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
)

// documented starts an API server without workers and machines, and returns its address.
func documented(t *testing.T) string {
	t.Helper()
	db, err := store.Open(t.Context(), pgtest.URL(t))
	require.NoError(t, err)
	t.Cleanup(db.Close)
	var api *apiserver.Server
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { api.ServeHTTP(w, r) }))
	t.Cleanup(server.CloseClientConnections)
	api, err = apiserver.New(apiserver.Options{
		API: config.API{Endpoint: server.URL}, Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db),
	})
	require.NoError(t, err)
	return server.URL
}

// TestDocs needs no fake machines, so it is quick. It searches for an operation on the page of the API, reads an
// example, and tries a request.
func TestDocs(t *testing.T) {
	server := documented(t)
	b := open(t, server+"/docs/api")
	b.says("h2.title", "Windlass")
	b.keys(`.operation-filter-input`, "v2 heal vnf_instances")
	b.says(".opblock-summary-description", "Heal a VNF")
	var shown int
	b.do(chromedp.Evaluate(`document.querySelectorAll(".opblock").length`, &shown))
	require.Equal(t, 1, shown, "the search finds this one")
	b.click(`.opblock-summary-control`)
	b.says(".opblock-body", "The server does not answer.")

	b.do(chromedp.Navigate(server+"/docs/api#/vnflcm%20v1/listVnfInstancesV1"), chromedp.Reload())
	b.click(`.opblock .try-out__btn`)
	b.click(`.opblock .execute`)
	b.says(".live-responses-table .response-col_status", "200")
	b.pictureOf("docs")
}

// TestDocsOfTheAPI_fitPhonesAndTheDark opens an operation of the API as a reader with a phone does, by day and by night.
func TestDocsOfTheAPI_fitPhonesAndTheDark(t *testing.T) {
	b := open(t, documented(t)+"/docs/api#/vnflcm%20v1/readVnfInstanceV1")
	b.says(".opblock-body", "Secrets in it are")
	for scheme, dark := range map[string]string{"light": "false", "dark": "true"} {
		b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		b.shows(`[String(getComputedStyle(document.querySelector(".swagger-ui")).filter.includes("invert"))]`, dark)
		for _, width := range []int64{360, 1280} {
			b.do(chromedp.EmulateViewport(width, 800))
			b.shows(`[String(document.documentElement.scrollWidth <= innerWidth)]`, "true")
			b.shows(`[String(document.querySelector(".parameters-col_name").offsetWidth > 60)]`, "true")
		}
	}
	b.do(chromedp.EmulateReset(), emulation.SetEmulatedMedia())
}

// TestDocsPages opens the page about an error as the error links to it, and finds another page with the search.
func TestDocsPages(t *testing.T) {
	server := documented(t)
	b := open(t, server+"/docs/troubleshooting.md#exhausted")
	b.says("h2:target", "Exhausted")
	b.shows(`[String(document.querySelector(":target").getBoundingClientRect().top >= document.querySelector("header").offsetHeight)]`, "true")
	b.keys("#search", "forget-host-key")
	b.click(`#results a[href$="#windlass-vnf-forget-host-key"]`)
	b.says("h2:target", "windlass vnf forget-host-key")
	b.click(`header a`)
	b.says("h1", "Documentation")
	b.click(`a[href="tutorial.md"]`)
	b.says("h1", "Tutorial")
	for _, width := range []int64{360, 1280} {
		b.do(chromedp.EmulateViewport(width, 800))
		b.shows(`[String(document.documentElement.scrollWidth <= innerWidth)]`, "true")
	}
}
