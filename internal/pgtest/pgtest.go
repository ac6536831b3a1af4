// Package pgtest gives tests databases on a real PostgreSQL: one private server per test binary,
// started at the first use, or the server that WINDLASS_TEST_DATABASE_URL names.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/store"
)

// EnvURL names a server on which tests may create databases, instead of a private one.
const EnvURL = "WINDLASS_TEST_DATABASE_URL"

// URL returns a fresh database with Windlass's schema; it is dropped when the test ends.
func URL(tb testing.TB) string {
	tb.Helper()
	template, err := template()
	if err != nil {
		tb.Fatal(err)
	}
	return create(tb, "template "+pgx.Identifier{template}.Sanitize())
}

// Empty returns a fresh database without any table; it is dropped when the test ends.
func Empty(tb testing.TB) string {
	tb.Helper()
	return create(tb, "template template0")
}

// Run runs a package's tests and ends the server afterwards, for use in TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }
//
// Without it the server ends with the test binary and its files are removed by the next one.
func Run(m interface{ Run() int }) int {
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		return max(code, 1)
	}
	return code
}

// dropTemplate drops the template on a server that was not started here.
func dropTemplate() error {
	given := os.Getenv(EnvURL)
	if given == "" {
		return nil
	}
	return admin(given, "drop database if exists "+pgx.Identifier{templateName()}.Sanitize())
}

var databases atomic.Int64

// create creates a database with a name that no other test binary uses.
func create(tb testing.TB, with string) string {
	tb.Helper()
	base, err := serverURL()
	if err != nil {
		tb.Fatal(err)
	}
	name := fmt.Sprintf("windlass_test_%d_%d", os.Getpid(), databases.Add(1))
	quoted := pgx.Identifier{name}.Sanitize()
	if err := admin(base, "create database "+quoted+" "+with); err != nil {
		tb.Fatalf("make a database for the test: %v", err)
	}
	tb.Cleanup(func() {
		// force: connections that the test left open would prevent the drop.
		if err := admin(base, "drop database if exists "+quoted+" with (force)"); err != nil {
			tb.Logf("drop the test's database: %v", err)
		}
	})
	return withDatabase(base, name)
}

// template creates, once, a database with the schema: to copy it is faster than to migrate each database.
var template = sync.OnceValues(func() (string, error) {
	base, err := serverURL()
	if err != nil {
		return "", err
	}
	name := templateName()
	quoted := pgx.Identifier{name}.Sanitize()
	if err := admin(base, "drop database if exists "+quoted+" with (force)"); err != nil {
		return "", err
	}
	if err := admin(base, "create database "+quoted+" template template0"); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return name, store.Migrate(ctx, withDatabase(base, name))
})

func templateName() string { return fmt.Sprintf("windlass_template_%d", os.Getpid()) }

// administration allows one copy at a time: PostgreSQL copies a template only while nobody is connected to it, and some
// versions refuse a second copy at the same time.
var administration sync.Mutex

func admin(base, sql string) error {
	administration.Lock()
	defer administration.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

func withDatabase(base, name string) string {
	u, err := url.Parse(base)
	if err != nil {
		panic("pgtest: the server's URL changed its form") // serverURL has parsed the same URL
	}
	u.Path = "/" + name
	return u.String()
}
