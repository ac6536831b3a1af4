package ui

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestSorted sorts the list of instances by its columns, and filters it by VIM and by product.
func TestSorted(t *testing.T) {
	p := openPage(t)
	p.as(write)
	p.exec(t, `
		insert into vim (id, name, description, type, auth_url, is_default, status, project_id)
		values ('north', 'North', '', 'openstack', 'http://cloud', false, 'REACHABLE', $1)`, project)
	p.instance("anna", nil, nil)
	p.instance("bert", &lcm.InstantiatedVnfInfo{FlavourID: "ha", VnfState: lcm.VnfStarted}, func(i *lcm.VnfInstance) {
		i.VimConnections = []lcm.VimConnectionInfo{{ID: "vim", VimID: "north", VimType: "openstack"}}
	})
	p.instance("carl", nil, nil)
	p.exec(t, `update vnf_instance set product_name = 'Registry' where name = 'carl'`)
	names := func(want ...string) {
		t.Helper()
		p.shows(`[...document.querySelectorAll("td a.name")].map((e) => e.innerText)`, want...)
	}
	p.goTo("instances?sort=name") // the list was shown before the instances were there
	names("anna", "bert", "carl")
	p.click(`button.sort`)
	names("carl", "bert", "anna")
	p.shows(`[document.querySelector("th[aria-sort]").textContent]`, "Name ↓")
	p.reach(`[...document.querySelectorAll("button.sort")].filter((e) => e.textContent === "State")`, "click")
	names("bert", "anna", "carl")
	p.do(chromedp.Reload()) // the order is part of the address
	names("bert", "anna", "carl")

	p.says(`select[aria-label=VIM]`, "North")
	p.fill(`select[aria-label=VIM]`, "north")
	names("bert")
	p.fill(`select[aria-label=VIM]`, "")
	p.says(`select[aria-label=Product]`, "Kubernetes cluster")
	p.fill(`select[aria-label=Product]`, "Kubernetes cluster")
	names("bert", "anna")
}
