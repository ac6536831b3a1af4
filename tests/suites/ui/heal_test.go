package ui

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestHealDialog heals the entire VNF only when somebody chooses it. Its list of VNFCs cuts no row.
func TestHealDialog(t *testing.T) {
	p := openPage(t)
	p.as(write)
	info := &lcm.InstantiatedVnfInfo{FlavourID: "ha", VnfState: lcm.VnfStarted}
	for i := range 12 {
		server(info, lcm.Worker, fmt.Sprintf("%08d-x", i))
	}
	p.instance("heals", info, nil)
	p.goTo("instances/" + idOf("heals"))
	p.press("Heal…")
	p.says("dialog", "The entire VNF")
	p.shows(`[...document.querySelectorAll("dialog input:checked")].map((e) => e.value)`, "some")
	p.do(chromedp.Evaluate(`{
		const real = window.fetch;
		window.asked = [];
		window.fetch = async (url, options) => {
			if (String(url).endsWith("/plan")) window.asked.push(JSON.stringify(JSON.parse(options.body).request));
			return real(url, options);
		};
	}`, nil))
	p.press("Show the plan")
	p.says("dialog .problem", "Choose VNFCs, or the entire VNF.")
	p.shows(`window.asked`)
	// Nothing within the dialog scrolls by itself, so no row ends in the middle of a text.
	p.shows(`[...document.querySelectorAll("dialog fieldset")].filter((e) => e.scrollHeight > e.clientHeight + 1).map(String)`)
	p.click(`dialog input[value=all]`)
	p.shows(`[...document.querySelectorAll("dialog fieldset[hidden]")].map(() => "hidden")`, "hidden")
	p.press("Show the plan")
	p.shows(`window.asked`, "{}")
	p.click(`dialog input[value=some]`)
	p.click(`dialog input[name=vnfc]`)
	p.press("Show the plan")
	p.shows(`window.asked`, "{}", `{"vnfcInstanceId":["vdu-00000000-x"]}`)
}
