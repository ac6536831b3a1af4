package scripts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/internal/expansion"
)

// KubeadmInitConfig is the file for kubeadm init. It holds secrets.
type KubeadmInitConfig struct {
	Node, Address         string
	Token, CertificateKey string
	KubernetesVersion     string // "v1.34.4"
	Endpoint              string // host:port: the virtual IP and HAProxy's port, or the only API server
	PodCIDR, ServiceCIDR  string
	NodeCIDRMask          int // 0: Kubernetes's default
	CertSANs              []string
	IgnorePreflightErrors []string
	Waits                 KubeadmWaits
	// Extra are further documents from the package; see mergeDocuments.
	Extra []byte
}

// Render gives the file.
func (c KubeadmInitConfig) Render() (string, error) {
	text, err := config("kubeadm-init.yaml", c)
	if err != nil {
		return "", err
	}
	return mergeDocuments(text, c.Extra, "JoinConfiguration")
}

// KubeadmJoinConfig is the file for kubeadm join. It holds secrets.
type KubeadmJoinConfig struct {
	Node, Address string
	Endpoint      string
	Token         string
	CACertHash    string // "sha256:..."
	// CertificateKey makes it a control plane.
	CertificateKey        string
	IgnorePreflightErrors []string
	Waits                 KubeadmWaits
	Extra                 []byte
}

// KubeadmWaits are kubeadm's own timeouts, in seconds; 0 leaves kubeadm's defaults, which suit fast machines.
type KubeadmWaits struct {
	Phase int // for each thing that it waits for: kubelet, a control plane's component, discovery, a certificate
	Call  int // for one call of an API, with its repetitions
}

// Render gives the file. It uses only JoinConfiguration of the package's documents: kubelet and kube-proxy take their
// configuration from the cluster.
func (c KubeadmJoinConfig) Render() (string, error) {
	text, err := config("kubeadm-join.yaml", c)
	if err != nil {
		return "", err
	}
	return mergeDocuments(text, c.Extra, "InitConfiguration", "ClusterConfiguration", "KubeletConfiguration",
		"KubeProxyConfiguration")
}

// MaxExtra is the largest size of a package's further configuration documents, in bytes: far above any that kubeadm
// takes.
const MaxExtra = 256 << 10

// CheckExtra checks a package's further configuration documents; nil means that they are valid.
func CheckExtra(extra []byte) error {
	_, err := documents(extra)
	return err
}

// document is one YAML document with its kind.
type document struct {
	kind   string
	fields map[string]any
}

// kubeadmVersion is the API version of the generated documents. Others have members of other forms: kubeadm's lists of
// arguments were mappings before.
const (
	kubeadmGroup   = "kubeadm.k8s.io"
	kubeadmVersion = kubeadmGroup + "/v1beta4"
)

// extraGroups are the API groups that kubeadm's file may hold.
var extraGroups = []string{kubeadmGroup, "kubelet.config.k8s.io", "kubeproxy.config.k8s.io"}

// mergeDocuments adds a package's documents to the generated ones, except the kinds in without. A document of a
// generated kind only adds members that the generated one lacks. Windlass's own values win, because the rest of the
// cluster relies on them; timeouts are the exception, because nothing relies on them.
func mergeDocuments(generated string, extra []byte, without ...string) (string, error) {
	added, err := documents(extra)
	if err != nil {
		return "", err
	}
	parts := strings.Split(strings.TrimSpace(generated), "\n---\n")
	for i, part := range parts {
		var own map[string]any
		if err := yaml.Unmarshal([]byte(part), &own); err != nil {
			return "", fmt.Errorf("read the generated configuration: %w", err)
		}
		for _, d := range added {
			if d.kind != own["kind"] {
				continue
			}
			if theirs, ok := d.fields["timeouts"].(map[string]any); ok {
				mine, _ := own["timeouts"].(map[string]any)
				own["timeouts"] = merge(maps.Clone(theirs), mine)
			}
			if parts[i], err = marshal(merge(own, d.fields)); err != nil {
				return "", err
			}
		}
		without = append(without, fmt.Sprint(own["kind"]))
	}
	for _, d := range added {
		if slices.Contains(without, d.kind) {
			continue
		}
		part, err := marshal(d.fields)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n---\n") + "\n", nil
}

func marshal(fields map[string]any) (string, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(fields); err != nil {
		return "", fmt.Errorf("write the configuration: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// documents splits extra and checks each part: a YAML object of kubeadm's API groups, with a kind that is unique in
// extra.
func documents(extra []byte) ([]document, error) {
	if len(extra) > MaxExtra {
		return nil, fmt.Errorf("it is larger than the %d bytes allowed", MaxExtra)
	}
	if err := expansion.NewYAML(8 * MaxExtra).TakeFile(extra); err != nil {
		return nil, fmt.Errorf("it %w", err)
	}
	var out []document
	decoder := yaml.NewDecoder(bytes.NewReader(extra))
	for n := 1; ; n++ {
		var fields map[string]any
		err := decoder.Decode(&fields)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			// The parser's errors have several lines; Windlass's errors have one.
			return nil, fmt.Errorf("document %d is not a YAML object: %s", n, strings.Join(strings.Fields(err.Error()), " "))
		}
		if len(fields) == 0 {
			continue
		}
		kind, _ := fields["kind"].(string)
		version, _ := fields["apiVersion"].(string)
		group, _, _ := strings.Cut(version, "/")
		switch {
		case kind == "":
			return nil, fmt.Errorf("document %d has no kind", n)
		case !slices.Contains(extraGroups, group):
			return nil, fmt.Errorf("document %d (%s) is of %q, not of %s", n, kind, version, strings.Join(extraGroups, ", "))
		case group == kubeadmGroup && version != kubeadmVersion:
			return nil, fmt.Errorf("document %d (%s) is of %s, but Windlass adds it to its own of %s: convert it with "+
				"kubeadm config migrate", n, kind, version, kubeadmVersion)
		case slices.ContainsFunc(out, func(d document) bool { return d.kind == kind }):
			return nil, fmt.Errorf("document %d is a second %s", n, kind)
		}
		out = append(out, document{kind, fields})
	}
}

// merge adds to own the members that only other has. It joins lists; of two items with the same name, such as kubeadm's
// arguments, it takes own's.
func merge(own, other map[string]any) map[string]any {
	for key, value := range other {
		switch mine := own[key].(type) {
		case nil:
			own[key] = value
		case map[string]any:
			if theirs, ok := value.(map[string]any); ok {
				own[key] = merge(mine, theirs)
			}
		case []any:
			if theirs, ok := value.([]any); ok {
				own[key] = append(mine, slices.DeleteFunc(slices.Clone(theirs), func(item any) bool {
					return named(mine, item)
				})...)
			}
		}
	}
	return own
}

// named reports whether a list has an item with the name of another item.
func named(list []any, item any) bool {
	name := nameOf(item)
	return name != "" && slices.ContainsFunc(list, func(own any) bool { return nameOf(own) == name })
}

func nameOf(item any) string {
	fields, _ := item.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// yamlString quotes a value for YAML: JSON's strings are YAML's double-quoted ones.
func yamlString(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}
