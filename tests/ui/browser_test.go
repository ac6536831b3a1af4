// Package ui opens the web page in a real browser.
package ui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// patience is more than a busy machine needs for anything here.
const patience = 2 * time.Minute

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// browser is a tab. What the page throws, or its policy keeps it from, fails the test.
type browser struct {
	*testing.T
	ctx context.Context
}

func open(t *testing.T, url string) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("NOT RUN: no browser is installed. tools/prerequisites.sh browser installs one.")
	}
	ctx, end := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 1000), chromedp.WSURLReadTimeout(patience))...)
	t.Cleanup(end)
	// A browser is newer than what chromedp knows of it: events that it cannot read are none that are waited for.
	ctx, end = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 5*patience)
	t.Cleanup(end)
	b := &browser{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		if thrown, ok := event.(*runtime.EventExceptionThrown); ok {
			t.Errorf("The page has thrown: %v", thrown.ExceptionDetails)
		}
	})
	b.do(chromedp.Navigate(url))
	return b
}

func (b *browser) do(actions ...chromedp.Action) {
	b.Helper()
	require.NoError(b, chromedp.Run(b.ctx, actions...))
}

// says waits until the page has a text, of an element that it shows.
func (b *browser) says(selector, text string) {
	b.Helper()
	var shown string
	end := time.Now().Add(patience)
	for !strings.Contains(shown, text) {
		require.True(b, time.Now().Before(end), "%s says %q, not %q", selector, shown, text)
		b.do(chromedp.Evaluate(`new Promise((done) => setTimeout(() => done(
			[...document.querySelectorAll(`+"`"+selector+"`"+`)].map((e) => e.innerText).join("\n")), 50))`, &shown,
			func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	}
}

// saysAfterReloads is says for what a page shows only when it is loaded again.
func (b *browser) saysAfterReloads(selector, text string) {
	b.Helper()
	for end := time.Now().Add(patience); ; {
		b.do(chromedp.Reload())
		b.says(selector, " ")
		var shown string
		b.do(chromedp.Text(selector, &shown, chromedp.ByQuery))
		if strings.Contains(shown, text) {
			return
		}
		require.True(b, time.Now().Before(end), "%s says %q, not %q", selector, shown, text)
	}
}

// fill gives a field a value, as a person who types or chooses does.
func (b *browser) fill(selector, value string) {
	b.Helper()
	b.do(chromedp.WaitVisible(selector, chromedp.ByQuery), chromedp.Evaluate(fmt.Sprintf(`{
		const field = document.querySelector(%q);
		field.value = %q;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		field.dispatchEvent(new Event("change", {bubbles: true}));
	}`, selector, value), nil))
}

// press presses the button with that text.
func (b *browser) press(text string) {
	b.Helper()
	b.do(chromedp.Click(`//button[normalize-space()="`+text+`"]`, chromedp.BySearch, chromedp.NodeVisible))
}

// pictureOf writes a picture when the test is told where to.
func (b *browser) pictureOf(name string) {
	b.Helper()
	dir := os.Getenv("WINDLASS_TEST_UI_PICTURES")
	if dir == "" {
		return
	}
	var png []byte
	b.do(chromedp.CaptureScreenshot(&png))
	require.NoError(b, os.WriteFile(dir+"/ui-"+name+".png", png, 0o644))
}
