// Package ui opens the web page in a real browser.
package ui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	dir, err := os.MkdirTemp("", "windlass-browser-")
	require.NoError(t, err)
	t.Cleanup(func() { // processes of a browser that has just ended may still write there
		require.Eventually(t, func() bool { return os.RemoveAll(dir) == nil }, patience, 50*time.Millisecond)
	})
	// The browser ends by the functions below, which wait for it, and not with the test's context.
	ctx, end := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 1000), chromedp.WSURLReadTimeout(patience),
		chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.Env("TMPDIR="+dir))...)
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
		if time.Now().After(end) {
			require.Contains(b, shown, text, "of %s; the page says %q", selector, b.text())
		}
		b.look("[...document.querySelectorAll(`"+selector+"`)].map((e) => e.innerText).join(`\n`)", &shown)
	}
}

// shows waits until an expression of the page has just these values.
func (b *browser) shows(expression string, want ...string) {
	b.Helper()
	var shown []string
	for end := time.Now().Add(patience); ; {
		b.look(expression, &shown)
		if slices.Equal(want, shown) {
			return
		}
		if time.Now().After(end) {
			require.Equal(b, want, shown, "the page says %q", b.text())
		}
	}
}

// offers waits until these are the buttons of the page, and no others.
func (b *browser) offers(buttons ...string) {
	b.Helper()
	b.shows(`[...document.querySelectorAll(".actions.top > *")].map((e) => e.innerText)`, buttons...)
}

// text is all that the page says.
func (b *browser) text() (all string) {
	b.Helper()
	b.do(chromedp.Evaluate(`document.body.innerText`, &all))
	return all
}

// look evaluates an expression a moment later: it is the pace of those who wait.
func (b *browser) look(expression string, into any) {
	b.Helper()
	b.do(chromedp.Evaluate("new Promise((done) => setTimeout(() => done("+expression+"), 50))", into,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// fill gives a field a value, as a person who types or chooses does.
func (b *browser) fill(selector, value string) {
	b.Helper()
	b.reach(fmt.Sprintf(`[...document.querySelectorAll(%q)]`, selector), "focus")
	b.do(chromedp.Evaluate(fmt.Sprintf(`{
		const field = document.querySelector(%q);
		field.value = %q;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		field.dispatchEvent(new Event("change", {bubbles: true}));
	}`, selector, value), nil))
}

// press presses the button with that text.
func (b *browser) press(text string) {
	b.Helper()
	b.reach(fmt.Sprintf(`[...document.querySelectorAll("button")].filter((e) => e.innerText.trim() === %q)`, text), "click")
}

// click clicks what a selector finds.
func (b *browser) click(selector string) {
	b.Helper()
	b.reach(fmt.Sprintf(`[...document.querySelectorAll(%q)]`, selector), "click")
}

// keys types into a field, key by key.
func (b *browser) keys(selector, text string) {
	b.Helper()
	b.reach(fmt.Sprintf(`[...document.querySelectorAll(%q)]`, selector), "focus")
	b.do(chromedp.KeyEvent(text))
}

// reach clicks or focuses the first element of a list as soon as a mouse reaches it: nothing is before it. To find it and
// to do that are one script, for a page may replace its elements in between, and chromedp's own search (BySearch)
// sometimes gets no answer.
func (b *browser) reach(elements, method string) {
	b.Helper()
	reached := false
	for end := time.Now().Add(patience); !reached; {
		if time.Now().After(end) {
			require.Failf(b, "Nothing can be reached.", "%s; the page says %q", elements, b.text())
		}
		b.look(fmt.Sprintf(`%s.some((e) => {
			e.scrollIntoView({block: "nearest"});
			const at = e.getBoundingClientRect();
			const reached = e.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2)) && !e.disabled;
			if (reached) e.%s();
			return reached;
		})`, elements, method), &reached)
	}
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
