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
	p.fill(`select[aria-label=Product]`, "")

	p.exec(t, `update vnf_instance set metadata = '{"site": "far north"}' where name <> 'anna'`)
	p.fill(`input[aria-label^=Metadata]`, "site=far north")
	names("bert", "carl")
	p.do(chromedp.Reload()) // the filter is part of the address
	names("bert", "carl")
	p.goTo("instances/" + idOf("carl"))
	p.says(".facts", "site=far north")
	p.click(`.facts a[href*="metadata"]`)
	names("bert", "carl")
	p.fill(`input[aria-label^=Metadata]`, "nothing without a sign of equality")
	names("anna", "bert", "carl")
}

// TestSorted_operations sorts the list of operations.
func TestSorted_operations(t *testing.T) {
	p := openPage(t)
	p.as(write)
	for _, name := range []string{"bert", "anna", "carl"} {
		p.instance(name, nil, nil)
		p.operation(name, name, lcm.OpScale, lcm.Completed, false, "")
	}
	names := func(want ...string) {
		t.Helper()
		p.shows(`[...document.querySelectorAll("td[data-column=Instance]")].map((e) => e.innerText)`, want...)
	}
	p.goTo("operations")
	names("carl", "anna", "bert")
	p.reach(`[...document.querySelectorAll("button.sort")].filter((e) => e.textContent === "Instance")`, "click")
	names("anna", "bert", "carl")
	p.do(chromedp.Reload())
	names("anna", "bert", "carl")
}

// TestSorted_listsThatAreReadWhole sorts VIMs and packages.
func TestSorted_listsThatAreReadWhole(t *testing.T) {
	p := openPage(t)
	p.as(write)
	p.exec(t, `
		insert into vim (id, name, description, type, auth_url, is_default, status, last_check, project_id)
		select name, name, '', type, 'http://cloud', false, status, '{}', $1 from (values
			('b-2', 'openstack', 'REACHABLE'), ('b-10', 'kubernetes', 'UNREACHABLE'), ('a', 'openstack', 'REACHABLE')) v (name, type, status)`, project)
	names := func(want ...string) {
		t.Helper()
		p.shows(`[...document.querySelectorAll("td a.name")].map((e) => e.innerText)`, want...)
	}
	by := func(column string) {
		t.Helper()
		p.reach(`[...document.querySelectorAll("button.sort")].filter((e) => e.textContent.trim().replace(/ .$/, "") === "`+column+`")`, "click")
	}
	p.goTo("vims")
	p.says("table", "b-10")
	by("Name")
	names("a", "b-2", "b-10") // numbers are ordered as numbers
	by("Name")
	names("b-10", "b-2", "a")
	by("Type")
	p.shows(`[document.querySelector("td a.name").innerText]`, "b-10")
	p.goTo("packages")
	by("Product")
	p.says("td .name", "Kubernetes cluster")
}
