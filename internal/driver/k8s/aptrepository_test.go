package k8s_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

func TestAptRepository_refusesWhatAptWouldNotUnderstand(t *testing.T) {
	for name, c := range map[string]struct {
		repository k8s.AptRepository
		members    []string
	}{
		"flat":                {k8s.AptRepository{URL: "http://h/deb", Suite: "/"}, nil},
		"flat below the root": {k8s.AptRepository{URL: "http://h/deb", Suite: "v1.34/"}, nil},
		"with a suite":        {k8s.AptRepository{URL: "https://h/deb", Suite: "stable", Component: "main"}, nil},
		"flat with a component": {
			k8s.AptRepository{URL: "http://h/", Suite: "/", Component: "main"},
			[]string{"component"},
		},
		"suite without a component": {k8s.AptRepository{URL: "http://h/", Suite: "stable"}, []string{"component"}},
		"nothing":                   {k8s.AptRepository{}, []string{"url"}},
		"options in the URL":        {k8s.AptRepository{URL: "http://h/[trusted=yes]"}, []string{"url"}},
		"a file":                    {k8s.AptRepository{URL: "file:///srv", Version: "1 2"}, []string{"url", "version"}},
	} {
		t.Run(name, func(t *testing.T) {
			var members []string
			for _, p := range c.repository.Problems() {
				members = append(members, p.Path)
			}
			assert.Equal(t, c.members, members)
		})
	}
}

func TestIsProxyURL_refusesWhatWouldBecomeConfiguration(t *testing.T) {
	for url, want := range map[string]bool{
		"http://proxy.example:3128":             true,
		"http://user:p%40ss@proxy.example:1":    true,
		"https://[2001:db8::1]:3128/":           true,
		"proxy.example:3128":                    false,
		"socks5://proxy.example":                false,
		"http://p\";Acquire::http::Proxy \"x":   false,
		"http://proxy.example\nNO_PROXY=inside": false,
		"http://":                               false,
		"http://u:p&x@proxy.example:3128":       true,
		"http://proxy.example\x00":              false,
		"http://proxy.example\v":                false,
	} {
		assert.Equal(t, want, k8s.IsProxyURL(url), url)
	}
}

func TestIsNoProxy_refusesWhatWouldBecomeConfiguration(t *testing.T) {
	for list, want := range map[string]bool{
		"": true, "*": true, "example.com, ": true,
		"10.0.0.0/8,.example.com, *.svc,[2001:db8::1]:5000,2001:db8::/32,a_b": true,
		"a\nLD_PRELOAD=/tmp/x": false, "a\n,b": false, "a\t,b": false, "a b": false, "$(id)": false, "a;b": false,
		"a&b": false, `a"b`: false, "a\x00": false,
	} {
		assert.Equal(t, want, k8s.IsNoProxy(list), "%q", list)
	}
}
