package activitytest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// FakeSite is a future cluster: its nodes record what scripts have done to them.
type FakeSite struct {
	mu      sync.Mutex
	Ca      string
	Nodes   map[string]*FakeNode
	Effects []string           // the scripts that have changed something, in order
	Tokens  map[string]bool    // valid bootstrap tokens
	Shared  bool               // set when the control planes' certificates were uploaded
	Ran     []remote.Command   // all commands
	Fail    map[string][]error // per script, or "dial <node>": the next errors to return, in order
	Replies map[string][]string
	Notes   map[string]string // configuration files by node and name
}

// FakeNode is a machine.
type FakeNode struct {
	Site     *FakeSite
	Node     lcm.Node
	balancer bool
	Member   bool
	Files    map[string]string
	Ended    map[string]remote.Result // results of successful commands by id, until they are removed
}

// NewFakeSite returns nodes without anything on them.
func NewFakeSite(t *testing.T, nodes lcm.Nodes) *FakeSite {
	t.Helper()
	s := &FakeSite{
		Ca: SelfSigned(t), Nodes: map[string]*FakeNode{}, Tokens: map[string]bool{}, Fail: map[string][]error{},
		Replies: map[string][]string{}, Notes: map[string]string{},
	}
	for _, n := range nodes {
		s.Nodes[n.Name] = &FakeNode{Site: s, Node: n, Files: map[string]string{}}
	}
	return s
}

// Dial implements reach.Hosts.
func (s *FakeSite) Dial(ctx context.Context, _ lcm.OpOccID, node lcm.Node) (reach.Host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.failure("dial " + node.Name); err != nil {
		return nil, err
	}
	return s.Nodes[node.Name], ctx.Err()
}

// failure returns the next injected error of key.
func (s *FakeSite) failure(key string) error {
	if len(s.Fail[key]) == 0 {
		return nil
	}
	err := s.Fail[key][0]
	s.Fail[key] = s.Fail[key][1:]
	return err
}

// Get implements reach.Host.
func (n *FakeNode) Get(_ context.Context, path string, _ int64) ([]byte, error) {
	n.Site.mu.Lock()
	defer n.Site.mu.Unlock()
	content, ok := n.Files[path]
	if !ok {
		return nil, lcm.Errorf(lcm.KindNotFound, "%s: there is no file %s", n.Node.Name, path)
	}
	return []byte(content), nil
}

// Put implements reach.Host.
func (n *FakeNode) Put(_ context.Context, f remote.File) error {
	n.Site.mu.Lock()
	defer n.Site.mu.Unlock()
	if n.Files[f.Path] != string(f.Content) {
		n.Site.Effects = append(n.Site.Effects, "put "+f.Path)
	}
	n.Files[f.Path] = string(f.Content)
	return nil
}

// Forget implements reach.Host.
func (n *FakeNode) Forget(_ context.Context, id string) error {
	n.Site.mu.Lock()
	defer n.Site.mu.Unlock()
	delete(n.Ended, id)
	return nil
}

// Settle implements reach.Host.
func (n *FakeNode) Settle(_ context.Context, id string) error {
	n.Site.mu.Lock()
	defer n.Site.mu.Unlock()
	if _, found := n.Ended[id]; found {
		n.Ended[id] = remote.Result{}
	}
	return nil
}

// Close implements reach.Host.
func (n *FakeNode) Close() error { return nil }

// Run implements reach.Host.
func (n *FakeNode) Run(ctx context.Context, cmd remote.Command) (remote.Result, error) {
	n.Site.mu.Lock()
	defer n.Site.mu.Unlock()
	if before, found := n.Ended[cmd.ID]; found {
		return before, nil
	}
	n.Site.Ran = append(n.Site.Ran, cmd)
	name, params := ReadScript(cmd.Script)
	if err := n.Site.failure(name); err != nil {
		for _, line := range n.Site.Replies[name] {
			cmd.Output(line)
		}
		return remote.Result{}, err
	}
	out, err := n.obey(name, params, ReadStdin(cmd.Stdin))
	out = append(out, n.Site.Replies[name]...)
	for _, line := range out {
		cmd.Output(line)
	}
	cmd.Output(n.Node.Name + " ran " + name)
	if err == nil {
		err = ctx.Err()
	}
	result := remote.Result{Stdout: strings.Join(out, "\n")}
	if err == nil {
		if n.Ended == nil {
			n.Ended = map[string]remote.Result{}
		}
		n.Ended[cmd.ID] = result
	}
	return result, err
}

// obey has the effects of the script with this name.
func (n *FakeNode) obey(name string, params, in map[string]string) (out []string, err error) {
	s := n.Site
	switch name {
	case "check-node":
		if _, told := s.Notes["clock"]; !told {
			s.Notes["clock"] = strconv.FormatInt(time.Now().Unix(), 10)
		}
		out = Results("clock", s.Notes["clock"])
	case "find-interface":
		out = Results("interface", "eth0", "prefix", "24")
	case "prepare-node":
		out = Results("kubeadm", "v1.34.4")
	case "configure-load-balancer":
		n.balancer = true
		s.Notes[n.Node.Name+" haproxy"], s.Notes[n.Node.Name+" keepalived"] = in["haproxy"], in["keepalived"]
	case "find-virtual-ip":
		out = Results("held", yes(n.balancer && strings.Contains(s.Notes[n.Node.Name+" keepalived"], "state MASTER")),
			"answers", yes(n.balancer))
	case "check-member":
		out = Results("state", map[bool]string{true: "member", false: "new"}[n.Member], "kubeadm", "v1.34.4")
	case "look-for-remains":
		out = Results("remains", yes(n.Member))
	case "kubeadm-init":
		s.Notes["init"] = in["config"]
		n.become("init")
	case "kubeadm-join":
		return nil, n.joinWith(in["config"])
	case "admit-member":
		s.Effects = append(s.Effects, "admit "+params["JOINING"]+" by "+n.Node.Name)
	case "mint-join":
		s.Tokens[in["token"]], s.Shared = true, in["certificate_key"] != ""
		out = Results("ca", base64.StdEncoding.EncodeToString([]byte(s.Ca)))
	case "revoke-join":
		clear(s.Tokens)
		s.Shared = false
	case "apply-manifest":
		s.Notes["manifest"] = in["manifest"]
	case "label-nodes":
		s.Notes["labels"] = params["LABELS"]
	case "create-vim-account":
		n.Files[params["TOKEN_FILE"]] = "header.payload.signature\n"
		out = Results("ca", base64.StdEncoding.EncodeToString([]byte(s.Ca)))
	case "connect-registries":
		n.connectRegistries(params, in)
	case "remove-file":
		delete(n.Files, params["FILE"])
	}
	return out, nil
}

func (n *FakeNode) become(how string) {
	if !n.Member {
		n.Member = true
		n.Site.Effects = append(n.Site.Effects, how+" "+n.Node.Name)
	}
}

func (n *FakeNode) joinWith(config string) error {
	n.Site.Notes["join "+n.Node.Name] = config
	for token := range n.Site.Tokens {
		if strings.Contains(config, token) && (n.Site.Shared || n.Node.Role == lcm.Worker) {
			n.become("join")
			return nil
		}
	}
	return lcm.Errorf(lcm.KindBroken, "%s: the token is not good", n.Node.Name)
}

// Results are the lines of a script that report these results: names and values, in turn.
func Results(pairs ...string) (lines []string) {
	for pair := range slices.Chunk(pairs, 2) {
		lines = append(lines, scripts.ResultPrefix+strings.Join(pair, "="))
	}
	return lines
}

func yes(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }

// ReadScript reads the name and the parameters of a script, as the lab's fake machines do.
func ReadScript(script string) (name string, params map[string]string) {
	params = map[string]string{}
	for i, line := range strings.Split(script, "\n") {
		switch {
		case i == 1:
			name = strings.TrimPrefix(line, "# windlass: ")
		case i > 1 && line == "":
			return name, params
		case i > 1:
			key, value, _ := strings.Cut(line, "=")
			params[key] = strings.ReplaceAll(strings.Trim(value, "'"), `'\''`, "'")
		}
	}
	return name, params
}

// ReadStdin reads the inputs that a script gets, by their names.
func ReadStdin(stdin []byte) map[string]string {
	in := map[string]string{}
	for line := range strings.Lines(string(stdin)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		clear, _ := base64.StdEncoding.DecodeString(value)
		in[key] = string(clear)
	}
	return in
}

// SelfSigned makes a certificate.
func SelfSigned(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// connectRegistries has the effects of the script with this name on the files that activities read later.
func (n *FakeNode) connectRegistries(params, in map[string]string) {
	if n.Files[scripts.RegistriesState] != in["after"] {
		n.Site.Effects = append(n.Site.Effects, "connect "+n.Node.Name)
	}
	n.Files[scripts.RegistriesState] = in["after"]
	if in["docker"] != "" {
		n.Files[scripts.DockerConfiguration] = in["docker"]
	}
	if params["WITH_CREDENTIALS"] == "yes" || n.Files["ours"] != "" {
		n.Files[scripts.KubeletCredentials], n.Files["ours"] = in["credentials"], params["WITH_CREDENTIALS"]
	}
}
