package main

import (
	"strings"
	"testing"
)

func env(url string) func(string) string {
	return func(name string) string {
		switch name {
		case databaseURLEnv:
			return url
		case codecEnv:
			return "http://127.0.0.1:9890/windlass/v1/codec"
		}
		return ""
	}
}

func TestParse_readsAddressesAttributesAndTheDatabase(t *testing.T) {
	args := []string{"serve", "--listen", "127.0.0.1:7300", "--ui", "", "--search-attributes", "A,B"}
	command, o, err := parse(args, env("postgres://op:secret@127.0.0.1:5555/start?sslmode=disable"))
	if err != nil {
		t.Fatal(err)
	}
	if command != "serve" || o.listen.String() != "127.0.0.1:7300" || o.ui.IsValid() || len(o.searchAttributes) != 2 {
		t.Errorf("got command %q and %+v", command, o)
	}
	if o.codec != "http://127.0.0.1:9890/windlass/v1/codec" {
		t.Errorf("got codec %q", o.codec)
	}
	main := o.database.sql(o.database.name)
	if main.ConnectAddr != "127.0.0.1:5555" || main.User != "op" || main.Password != "secret" || main.TLS != nil {
		t.Errorf("got database %+v", main)
	}
	if o.database.url.Database != "start" {
		t.Errorf("connects to %q to create the others", o.database.url.Database)
	}
}

func TestParse_asksForTLSAsTheURLDoes(t *testing.T) {
	for mode, verify := range map[string]bool{"require": false, "verify-full": true} {
		_, o, err := parse([]string{"migrate"}, env("postgres://op:secret@db.example/start?sslmode="+mode))
		if err != nil {
			t.Fatal(err)
		}
		if o.database.tls == nil || o.database.tls.EnableHostVerification != verify {
			t.Errorf("sslmode=%s: got %+v", mode, o.database.tls)
		}
	}
}

func TestParse_refusesWithSentencesAndWithoutThePassword(t *testing.T) {
	good := "postgres://op:secret@127.0.0.1/start?sslmode=disable"
	cases := []struct {
		name, url, want string
		args            []string
	}{
		{"unknown command", good, `no command "run"`, []string{"run"}},
		{"unknown argument", good, `"extra" is none`, []string{"serve", "extra"}},
		{"bad address", good, "--listen must be an address", []string{"serve", "--listen", "nowhere"}},
		{"no database", "", "must hold the URL", []string{"serve"}},
		{"bad database", "postgres://op:secret@127.0.0.1:port/start", "is not the URL", []string{"serve"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := parse(c.args, env(c.url))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %q and no password", err, c.want)
			}
		})
	}
}
