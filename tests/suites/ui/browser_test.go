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

// patience is longer than anything here takes on a busy machine.
const patience = 2 * time.Minute

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// browser is a tab. An exception of the page, or something that its policy blocks, fails the test.
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
	t.Cleanup(func() { // processes of a browser that has just ended may still write into the directory
		require.Eventually(t, func() bool { return os.RemoveAll(dir) == nil }, patience, 50*time.Millisecond)
	})
	// The cleanups below end the browser and wait for it; the test's context must not end it earlier.
	ctx, end := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 1000), chromedp.WSURLReadTimeout(patience),
		chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.Env("TMPDIR="+dir))...)
	t.Cleanup(end)
	// The browser may send events that chromedp does not know yet. Nothing waits for them, so their errors are ignored.
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

// says waits until a visible element of the page contains a text.
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

// shows waits until an expression of the page has exactly these values.
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

// offers waits until the page has exactly these buttons.
func (b *browser) offers(buttons ...string) {
	b.Helper()
	b.shows(`[...document.querySelectorAll(".actions.top > *")].map((e) => e.innerText)`, buttons...)
}

// text returns the whole text of the page.
func (b *browser) text() (all string) {
	b.Helper()
	b.do(chromedp.Evaluate(`document.body.innerText`, &all))
	return all
}

// look evaluates an expression after 50 ms, so that loops that wait do not run too fast.
func (b *browser) look(expression string, into any) {
	b.Helper()
	b.do(chromedp.Evaluate("new Promise((done) => setTimeout(() => done("+expression+"), 50))", into,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// fill sets the value of a field, with the events that typing or choosing causes.
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

// click clicks the element that a selector finds.
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

// reach clicks or focuses the first element of a list, as soon as no other element covers it. One script finds the
// element and uses it, because a page may replace its elements in between. chromedp's own search (BySearch) sometimes
// gets no answer.
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

// pictureOf saves a picture of the page if WINDLASS_TEST_UI_PICTURES names a directory.
func (b *browser) pictureOf(name string) {
	b.Helper()
	dir := os.Getenv("WINDLASS_TEST_UI_PICTURES")
	if dir == "" {
		return
	}
	var png []byte
	var height float64
	b.do(chromedp.Evaluate(`(() => {
		document.querySelectorAll(".notice").forEach((e) => e.remove());
		const shown = document.querySelector("dialog[open]") || document.querySelector("main > .page, main > .login");
		return shown ? Math.min(1150, Math.max(480, shown.scrollHeight + 120)) : 0;
	})()`, &height))
	if height > 0 { // a page of the web page, as a whole if it is not too long
		b.do(chromedp.EmulateViewport(1280, int64(height)), chromedp.Evaluate(`{
			window.scrollTo(0, 0);
			document.querySelector("dialog[open]")?.scrollTo(0, 0);
		}`, nil), chromedp.Sleep(200*time.Millisecond))
	}
	b.do(chromedp.CaptureScreenshot(&png), chromedp.EmulateReset())
	require.NoError(b, os.WriteFile(dir+"/ui-"+name+".png", png, 0o644))
}
