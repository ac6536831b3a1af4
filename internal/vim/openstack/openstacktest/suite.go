// Package openstacktest checks that the connector for OpenStack and a cloud agree. It makes the same assertions on the lab,
// with each kind of machines, and on a real OpenStack. So the lab cannot differ from OpenStack where it matters to
// Windlass.
package openstacktest

import (
	"context"
	"maps"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// Cloud is a cloud under test, and one project in it. Its public endpoints speak TLS with a certificate of a private
// authority, its internal ones do not. It has one compute host.
type Cloud struct {
	// Vim has auth_url and project; Cred is a user with password, and the ca_cert. Neither is changed.
	Vim  lcm.Vim
	Cred map[string]any
	// PlainAuthURL is Keystone without TLS. Nowhere is a region in the catalog whose endpoints refuse every connection.
	PlainAuthURL, Nowhere string
	// Image and Flavor boot a server on Network, whose addresses the test can reach.
	Image, Flavor, Network string
	// Spare are addresses for a network that a check makes; servers need the network only to boot. The zero value means
	// 10.99.78.0/24.
	Spare netip.Prefix
	// SizeOf logs in to a server and measures a volume there, in bytes; nil where servers run no commands.
	SizeOf func(t *testing.T, at Login, disk Disk) string
	// Patience bounds every wait.
	Patience time.Duration
}

// Run checks the cloud. It makes resources with unique names, and deletes them in the end.
func Run(t *testing.T, c Cloud) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*site)
	}{
		{"logs in with a password, and tells who is refused", (*site).passwords},
		{"logs in with an application credential", (*site).applicationCredential},
		{"renews a token that is not good any more", (*site).renewal},
		{"chooses region and interface in the catalog", (*site).catalog},
		{"trusts a private authority only when told to", (*site).privateAuthority},
		{"makes a stack of nested templates, parameters and files", (*site).templates},
		{"changes a stack to another template, with what it had and then without", (*site).otherTemplate},
		{"finds the stack that it has made already", (*site).again},
		{"leaves stacks of others alone", (*site).others},
		{"tells each event once, and none of the past", (*site).events},
		{"scales by signals", (*site).signals},
		{"names why a stack cannot be made", (*site).refusals},
		{"finds the cause of a failure in nested stacks", (*site).failures},
		{"deletes a stack that is being made", (*site).deletesUnderWay},
		{"deletes a stack whose deletion has failed", (*site).deletesAgain},
		{"deletes a stack while others leave its network", (*site).waitsForPorts},
		{"is a VIM like all others", (*site).seam},
		{"runs, heals and scales servers", (*site).cluster},
		{"makes a server anew, and gives it its volume back", (*site).storage},
		{"replaces a server inside of a member of a group, with a fixed address", (*site).withinMembers},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(newSite(t, c)) })
	}
}

// site is one check's view of the cloud.
type site struct {
	*testing.T
	Cloud

	cloud *openstack.Cloud
	name  string // the name of the stack; a check with several stacks adds suffixes
}

func newSite(t *testing.T, c Cloud) *site {
	t.Helper()
	s := &site{T: t, Cloud: c, name: "contract-" + uuid.NewString()[:8]}
	var err error
	s.cloud, err = openstack.Connect(t.Context(), c.Vim, c.Cred, outbound.Guard{})
	require.NoError(t, err)
	return s
}

const owner = "windlass-vnf-contract"

// stack returns a stack of this check and deletes it in the end. It sets the common parameters that the template has.
func (s *site) stack(template string, parameters map[string]any, files map[string]string) openstack.Stack {
	s.Helper()
	all := map[string]any{}
	for name, value := range map[string]any{"image": s.Image, "flavor": s.Flavor, "network": s.Network} {
		if strings.Contains(template, "\n  "+name+":") {
			all[name] = value
		}
	}
	maps.Copy(all, parameters)
	s.tidy(s.name)
	return openstack.Stack{
		Name: s.name, Owner: owner, Operation: "op-1", Timeout: max(s.Patience, time.Minute),
		Template: template, Parameters: all, Files: files,
	}
}

// tidy deletes the stack at the end of the check.
func (s *site) tidy(name string) {
	s.Cleanup(func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(s.Context()), s.Patience)
		defer done()
		require.NoError(s, s.cloud.DeleteStack(ctx, name, owner, func(string) {}))
	})
}

func (s *site) create(st openstack.Stack, show func(string)) string {
	s.Helper()
	ctx, done := context.WithTimeout(s.Context(), s.Patience)
	defer done()
	id, err := s.cloud.CreateStack(ctx, st, show)
	require.NoError(s, err)
	return id
}

func (s *site) update(parameters map[string]any, show func(string), replace ...vim.Resource) {
	s.Helper()
	s.carryOut(s.change(parameters, replace...), show)
}

func (s *site) change(parameters map[string]any, replace ...vim.Resource) openstack.Change {
	return openstack.Change{
		Name: s.name, Owner: owner, Operation: "op-2", Parameters: parameters, Replace: replace,
		Timeout: max(s.Patience, time.Minute),
	}
}

func (s *site) carryOut(change openstack.Change, show func(string)) {
	s.Helper()
	ctx, done := context.WithTimeout(s.Context(), s.Patience)
	defer done()
	require.NoError(s, s.cloud.UpdateStack(ctx, change, show))
}

func (s *site) delete(show func(string)) {
	s.Helper()
	ctx, done := context.WithTimeout(s.Context(), s.Patience)
	defer done()
	require.NoError(s, s.cloud.DeleteStack(ctx, s.name, owner, show))
}

func (s *site) inventory() *vim.Inventory {
	s.Helper()
	inv, err := s.cloud.Inventory(s.Context(), s.name)
	require.NoError(s, err)
	return inv
}

func (s *site) requireKind(kind lcm.ErrorKind, err error, words ...string) {
	s.Helper()
	require.Error(s, err)
	require.Equal(s, kind, lcm.KindOf(err), "%v", err)
	for _, w := range words {
		require.ErrorContains(s, err, w)
	}
}

// lines collects progress.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

func silent(string) {}
