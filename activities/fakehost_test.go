package activities_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
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

// fakeSite is a future cluster: its nodes record what scripts have done to them.
type fakeSite struct {
	mu      sync.Mutex
	ca      string
	nodes   map[string]*fakeNode
	effects []string           // the scripts that have changed something, in order
	tokens  map[string]bool    // valid bootstrap tokens
	shared  bool               // set when the control planes' certificates were uploaded
	ran     []remote.Command   // all commands
	fail    map[string][]error // per script, or "dial <node>": the next errors to return, in order
	replies map[string][]string
	notes   map[string]string // configuration files by node and name
}

// fakeNode is a machine.
type fakeNode struct {
	site     *fakeSite
	node     lcm.Node
	balancer bool
	member   bool
	files    map[string]string
	ended    map[string]remote.Result // results of successful commands by id, until they are removed
}

func newFakeSite(t *testing.T, nodes lcm.Nodes) *fakeSite {
	t.Helper()
	s := &fakeSite{
		ca: selfSigned(t), nodes: map[string]*fakeNode{}, tokens: map[string]bool{}, fail: map[string][]error{},
		replies: map[string][]string{}, notes: map[string]string{},
	}
	for _, n := range nodes {
		s.nodes[n.Name] = &fakeNode{site: s, node: n, files: map[string]string{}}
	}
	return s
}

func (s *fakeSite) Dial(ctx context.Context, _ lcm.OpOccID, node lcm.Node) (reach.Host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.failure("dial " + node.Name); err != nil {
		return nil, err
	}
	return s.nodes[node.Name], ctx.Err()
}

// failure returns the next injected error of key.
func (s *fakeSite) failure(key string) error {
	if len(s.fail[key]) == 0 {
		return nil
	}
	err := s.fail[key][0]
	s.fail[key] = s.fail[key][1:]
	return err
}

func (n *fakeNode) Get(_ context.Context, path string, _ int64) ([]byte, error) {
	n.site.mu.Lock()
	defer n.site.mu.Unlock()
	content, ok := n.files[path]
	if !ok {
		return nil, lcm.Errorf(lcm.KindNotFound, "%s: there is no file %s", n.node.Name, path)
	}
	return []byte(content), nil
}

func (n *fakeNode) Put(_ context.Context, f remote.File) error {
	n.site.mu.Lock()
	defer n.site.mu.Unlock()
	if n.files[f.Path] != string(f.Content) {
		n.site.effects = append(n.site.effects, "put "+f.Path)
	}
	n.files[f.Path] = string(f.Content)
	return nil
}

func (n *fakeNode) Forget(_ context.Context, id string) error {
	n.site.mu.Lock()
	defer n.site.mu.Unlock()
	delete(n.ended, id)
	return nil
}

func (n *fakeNode) Settle(_ context.Context, id string) error {
	n.site.mu.Lock()
	defer n.site.mu.Unlock()
	if _, found := n.ended[id]; found {
		n.ended[id] = remote.Result{}
	}
	return nil
}

func (n *fakeNode) Close() error { return nil }

func (n *fakeNode) Run(ctx context.Context, cmd remote.Command) (remote.Result, error) {
	n.site.mu.Lock()
	defer n.site.mu.Unlock()
	if before, found := n.ended[cmd.ID]; found {
		return before, nil
	}
	n.site.ran = append(n.site.ran, cmd)
	name, params := readScript(cmd.Script)
	if err := n.site.failure(name); err != nil {
		for _, line := range n.site.replies[name] {
			cmd.Output(line)
		}
		return remote.Result{}, err
	}
	out, err := n.obey(name, params, readStdin(cmd.Stdin))
	out = append(out, n.site.replies[name]...)
	for _, line := range out {
		cmd.Output(line)
	}
	cmd.Output(n.node.Name + " ran " + name)
	if err == nil {
		err = ctx.Err()
	}
	result := remote.Result{Stdout: strings.Join(out, "\n")}
	if err == nil {
		if n.ended == nil {
			n.ended = map[string]remote.Result{}
		}
		n.ended[cmd.ID] = result
	}
	return result, err
}

// obey has the effects of the script with this name.
func (n *fakeNode) obey(name string, params, in map[string]string) (out []string, err error) {
	s := n.site
	switch name {
	case "check-node":
		if _, told := s.notes["clock"]; !told {
			s.notes["clock"] = strconv.FormatInt(time.Now().Unix(), 10)
		}
		out = results("clock", s.notes["clock"])
	case "find-interface":
		out = results("interface", "eth0", "prefix", "24")
	case "prepare-node":
		out = results("kubeadm", "v1.34.4")
	case "configure-load-balancer":
		n.balancer = true
		s.notes[n.node.Name+" haproxy"], s.notes[n.node.Name+" keepalived"] = in["haproxy"], in["keepalived"]
	case "find-virtual-ip":
		out = results("held", yes(n.balancer && strings.Contains(s.notes[n.node.Name+" keepalived"], "state MASTER")),
			"answers", yes(n.balancer))
	case "check-member":
		out = results("state", map[bool]string{true: "member", false: "new"}[n.member], "kubeadm", "v1.34.4")
	case "look-for-remains":
		out = results("remains", yes(n.member))
	case "kubeadm-init":
		s.notes["init"] = in["config"]
		n.become("init")
	case "kubeadm-join":
		return nil, n.joinWith(in["config"])
	case "admit-member":
		s.effects = append(s.effects, "admit "+params["JOINING"]+" by "+n.node.Name)
	case "mint-join":
		s.tokens[in["token"]], s.shared = true, in["certificate_key"] != ""
		out = results("ca", base64.StdEncoding.EncodeToString([]byte(s.ca)))
	case "revoke-join":
		clear(s.tokens)
		s.shared = false
	case "apply-manifest":
		s.notes["manifest"] = in["manifest"]
	case "label-nodes":
		s.notes["labels"] = params["LABELS"]
	case "create-vim-account":
		n.files[params["TOKEN_FILE"]] = "header.payload.signature\n"
		out = results("ca", base64.StdEncoding.EncodeToString([]byte(s.ca)))
	case "connect-registries":
		n.connectRegistries(params, in)
	case "remove-file":
		delete(n.files, params["FILE"])
	}
	return out, nil
}

func (n *fakeNode) become(how string) {
	if !n.member {
		n.member = true
		n.site.effects = append(n.site.effects, how+" "+n.node.Name)
	}
}

func (n *fakeNode) joinWith(config string) error {
	n.site.notes["join "+n.node.Name] = config
	for token := range n.site.tokens {
		if strings.Contains(config, token) && (n.site.shared || n.node.Role == lcm.Worker) {
			n.become("join")
			return nil
		}
	}
	return lcm.Errorf(lcm.KindBroken, "%s: the token is not good", n.node.Name)
}

func results(pairs ...string) (lines []string) {
	for i := 0; i < len(pairs); i += 2 {
		lines = append(lines, scripts.ResultPrefix+pairs[i]+"="+pairs[i+1])
	}
	return lines
}

func yes(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }

// readScript reads the name and the parameters of a script, as the lab's fake machines do.
func readScript(script string) (name string, params map[string]string) {
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

func readStdin(stdin []byte) map[string]string {
	in := map[string]string{}
	for line := range strings.Lines(string(stdin)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		clear, _ := base64.StdEncoding.DecodeString(value)
		in[key] = string(clear)
	}
	return in
}

func selfSigned(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
