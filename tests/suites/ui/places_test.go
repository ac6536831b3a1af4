package ui

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestPlaces opens pages that are not in the bar, and an address without a page.
func TestPlaces(t *testing.T) {
	p := openPage(t, func(o *apiserver.Options) { o.Page.Temporal = "https://temporal.example/namespaces/windlass" })
	p.as(write)
	p.linksToTemporal()
	p.goTo("nosuch/page")
	p.says("h1", "There is no such page")
	p.says(".empty", "#/nosuch/page")
	p.click(`.empty a`)
	p.says("h1", "Instances")
	p.recordsOfOthers()
	p.statesBeginWithACapital()
	p.fitsNarrowScreens()
}

// linksToTemporal finds the lists of Temporal's Web UI in the menu.
func (p *page) linksToTemporal() {
	p.Helper()
	p.shows(`[...document.querySelectorAll('.menu a[href*="query="]')].map((a) => {
		const url = new URL(a.href);
		return url.host + url.pathname + ": " + url.searchParams.get("query");
	})`,
		`temporal.example/namespaces/windlass/workflows: OperationState = "FAILED_TEMP"`,
		`temporal.example/namespaces/windlass/workflows: OperationState IN ("ROLLED_BACK", "FAILED")`,
		`temporal.example/namespaces/windlass/workflows: ExecutionStatus = "Running" AND LcmOperation IS NOT NULL`)
}

// recordsOfOthers shows the audit, a subscription, and a notification that was not delivered.
func (p *page) recordsOfOthers() {
	p.Helper()
	p.instance("told", nil, nil)
	require.NoError(p, p.store.RecordAudit(p.Context(), lcm.AuditRecord{
		Client: "oauth2 nfvo", ProjectID: project, Method: "POST", Path: "/vnflcm/v2/vnf_instances",
		Resource: "/vnflcm/v2/vnf_instances/" + idOf("told"), Status: 201, Remote: "192.0.2.17",
	}))
	p.click(`.menu summary`)
	p.click(`.menu a[href="#/audit"]`)
	p.says("table", "oauth2 nfvo")
	p.says("table", "POST /vnflcm/v2/vnf_instances")
	p.click(`td a[href="#/instances/` + idOf("told") + `"]`)
	p.says("h1", "told")

	ctx := lcm.WithScope(p.Context(), lcm.Scope{Project: project})
	sub, err := p.store.CreateSubscription(ctx, lcm.Subscription{
		ID: lcm.SubscriptionID(idOf("subscription")), API: lcm.APILcm, APIVersion: 2, CallbackURI: "https://nfvo.example/notify",
	}, 10, false)
	require.NoError(p, err)
	p.instance("late", nil, nil) // the subscriber is to be told of it
	letter, err := p.store.NextDelivery(p.Context(), sub.ID)
	require.NoError(p, err)
	require.NoError(p, p.store.NotDelivered(p.Context(), letter.ID, "Nobody answers."))
	require.NoError(p, p.store.Bury(p.Context(), letter.ID, 0))
	p.goTo("notifications")
	p.says("table", "https://nfvo.example/notify")
	p.says("table", "Nobody answers.")
	p.press("Deliver again")
	p.says("section", "Every notification has been delivered, or is still being tried.")
}

func (p *page) statesBeginWithACapital() {
	p.Helper()
	p.exec(p.T, `
		insert into vim (id, name, description, type, auth_url, is_default, status, project_id)
		values ($2, 'south', '', 'openstack', 'http://cloud', false, 'REACHABLE', $1)`, project, idOf("south"))
	for place, word := range map[string]string{
		"vims": "Reachable", "packages": "On board", "instances": "Not instantiated", "vims/" + idOf("south"): "Reachable",
	} {
		p.goTo(place)
		p.says("main .pill", word)
		p.shows(`[...document.querySelectorAll(".pill")].map((e) => e.innerText).filter((text) => !/^[A-Z]/.test(text))`)
	}
}

// fitsNarrowScreens opens every page on a telephone, by day and by night.
func (p *page) fitsNarrowScreens() {
	p.Helper()
	p.operation("narrow", "told", lcm.OpScale, lcm.FailedTemp, false, "")
	for _, scheme := range []string{"light", "dark"} {
		p.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
			chromedp.EmulateViewport(360, 740))
		for place, says := range map[string]string{
			"instances": "Instances", "instances/" + idOf("told"): "told", "operations": "Operations", "operations/" + idOf("narrow"): "Scale told",
			"packages": "Packages", "vims": "VIMs", "audit": "Audit", "notifications": "Notifications", "nosuch": "There is no such page",
		} {
			p.goTo(place)
			p.says("h1", says)
			p.shows(`[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
				.filter((e) => !e.closest("pre, .scroll")).map((e) => e.outerHTML.slice(0, 80))`)
			p.shows(`[String(document.documentElement.scrollWidth <= innerWidth)]`, "true")
		}
		p.goTo("vims")
		p.press("Register a VIM…")
		p.says("dialog", "Log in with")
		p.shows(`[String(document.querySelector("dialog").getBoundingClientRect().right <= innerWidth)]`, "true")
		p.press("Cancel")
	}
}
