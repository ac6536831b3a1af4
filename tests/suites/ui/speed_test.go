package ui

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// traffic counts what the browser gets over the network, as opposed to its cache.
type traffic struct {
	mu     sync.Mutex
	cached map[network.RequestID]bool
	urls   map[network.RequestID]string
	bytes  map[network.RequestID]float64
}

func (b *browser) traffic() *traffic {
	b.Helper()
	n := &traffic{}
	n.reset()
	chromedp.ListenTarget(b.ctx, func(event any) {
		n.mu.Lock()
		defer n.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			n.urls[e.RequestID] = e.Request.URL
		case *network.EventRequestServedFromCache:
			n.cached[e.RequestID] = true
		case *network.EventResponseReceived:
			n.cached[e.RequestID] = n.cached[e.RequestID] || e.Response.FromDiskCache
			n.bytes[e.RequestID] = e.Response.EncodedDataLength
		case *network.EventLoadingFinished:
			n.bytes[e.RequestID] = e.EncodedDataLength
		}
	})
	b.do(network.Enable())
	return n
}

func (n *traffic) reset() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cached, n.urls, n.bytes = map[network.RequestID]bool{}, map[network.RequestID]string{}, map[network.RequestID]float64{}
}

// ofPage are the files of the page that came over the network, and the bytes of all that came.
func (n *traffic) ofPage() (files []string, bytes int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, url := range n.urls {
		if n.cached[id] {
			continue
		}
		bytes += int(n.bytes[id])
		if _, name, found := strings.Cut(url, "/ui/"); found {
			files = append(files, name)
		}
	}
	return files, bytes
}

// TestSpeed loads the page over a network with a round trip of 100 ms: first as nobody has seen it, then from the
// browser's cache.
func TestSpeed(t *testing.T) {
	p := openPage(t)
	p.as(write)
	p.instance("edge", nil, nil)
	n := p.traffic()
	p.do(network.EmulateNetworkConditions(false, 100, -1, -1))
	load := func(what string) []string {
		t.Helper()
		p.do(chromedp.Navigate("about:blank"))
		n.reset()
		p.do(chromedp.Navigate(p.url + "#/instances"))
		p.says("table", "edge")
		p.says(".live", "Live")
		var shown float64
		p.do(chromedp.Evaluate(`performance.getEntriesByType("resource").filter((e) => e.name.includes("vnf_instances")).pop().responseEnd`, &shown))
		files, bytes := n.ofPage()
		t.Logf("%s: %d files of the page, %d bytes with the API's answers, the list came after %s", what, len(files), bytes,
			(time.Duration(shown) * time.Millisecond).Round(10*time.Millisecond))
		return files
	}
	p.do(network.ClearBrowserCache())
	load("cold")
	warm := load("warm")
	require.Len(t, warm, 1, "the page itself; %v", warm)
}
