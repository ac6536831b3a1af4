package kubernetes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Attachment puts the Pods of a VDU on a network beside the cluster's own. Multus reads an annotation of each Pod,
// makes the interfaces, and describes them in another annotation.
type Attachment struct {
	Vdu string `json:"vdu"`
	// Cpd is the connection point of the VNFD. Path is where the request names its network.
	Cpd  string `json:"cpd"`
	Path string `json:"-"`
	// Network is the name of a NetworkAttachmentDefinition. Its namespace is in front when it differs from the Pods'
	// namespace ("media", "networks/media").
	Network string `json:"network"`
	// Addresses and MAC are fixed; only a VDU with a single Pod has them.
	Addresses []string `json:"addresses,omitempty"`
	MAC       string   `json:"mac,omitempty"`
}

const (
	networksKey = "k8s.v1.cni.cncf.io/networks"
	// statusKey is the annotation where Multus describes a Pod's interfaces; older releases use the other name.
	statusKey       = "k8s.v1.cni.cncf.io/network-status"
	formerStatusKey = "k8s.v1.cni.cncf.io/networks-status"

	// longestInterface is Linux' limit for the name of an interface.
	longestInterface = 15
)

var interfaceName = regexp.MustCompile(`^[A-Za-z][-_.A-Za-z0-9]*$`)

// Interface is the name of the connection point's interface in a Pod: the connection point's own name, if Linux accepts
// it.
func (a Attachment) Interface() string {
	taken := a.Cpd == "eth0" || a.Cpd == "lo"
	if len(a.Cpd) <= longestInterface && interfaceName.MatchString(a.Cpd) && !taken {
		return a.Cpd
	}
	sum := sha256.Sum256([]byte(a.Cpd))
	return "cp-" + hex.EncodeToString(sum[:6])
}

// fixed reports whether only one Pod at a time can have the interface.
func (a Attachment) fixed() bool { return len(a.Addresses) > 0 || a.MAC != "" }

// reference returns the network's namespace and name, for a Pod in the given namespace.
func (a Attachment) reference(namespace string) (in, name string) {
	if in, name, two := strings.Cut(a.Network, "/"); two {
		return in, name
	}
	return namespace, a.Network
}

// selection is one element of the annotation that Multus reads.
func (a Attachment) selection(namespace, config string) map[string]any {
	in, name := a.reference(namespace)
	out := map[string]any{"name": name, "namespace": in, "interface": a.Interface()}
	if len(a.Addresses) > 0 {
		ips := make([]any, 0, len(a.Addresses))
		for _, address := range a.Addresses {
			ips = append(ips, withPrefix(address, config))
		}
		out["ips"] = ips
	}
	if a.MAC != "" {
		out["mac"] = a.MAC
	}
	return out
}

// withPrefix adds the prefix length to an address, from the subnet in the network's configuration that contains it.
// Plugins need the length, and requests do not have it.
func withPrefix(address, config string) string {
	var doc any
	ip, err := netip.ParseAddr(address)
	if err != nil || json.Unmarshal([]byte(config), &doc) != nil {
		return address
	}
	if bits := subnetBits(doc, ip); bits >= 0 {
		return netip.PrefixFrom(ip, bits).String()
	}
	return address
}

// subnetBits returns the prefix length of the first subnet that contains the address, -1 for none. It ignores routes,
// as a default route contains every address.
func subnetBits(of any, ip netip.Addr) int {
	switch of := of.(type) {
	case string:
		if p, err := netip.ParsePrefix(of); err == nil && p.Bits() > 0 && p.Contains(ip) {
			return p.Bits()
		}
	case []any:
		for _, item := range of {
			if bits := subnetBits(item, ip); bits >= 0 {
				return bits
			}
		}
	case map[string]any:
		for _, key := range sortedMembers(of) {
			if key == "routes" {
				continue
			}
			if bits := subnetBits(of[key], ip); bits >= 0 {
				return bits
			}
		}
	}
	return -1
}

func sortedMembers(of map[string]any) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// selections reads the annotation, which is JSON or the short form "networks/media@net1, signalling".
func selections(annotation string) ([]map[string]any, error) {
	annotation = strings.TrimSpace(annotation)
	if annotation == "" {
		return nil, nil
	}
	var out []map[string]any
	if strings.HasPrefix(annotation, "[") {
		if err := json.Unmarshal([]byte(annotation), &out); err != nil {
			return nil, fmt.Errorf("the annotation %s is no list of networks: %w", networksKey, err)
		}
		return out, nil
	}
	for item := range strings.SplitSeq(annotation, ",") {
		one := map[string]any{}
		name := strings.TrimSpace(item)
		if before, after, two := strings.Cut(name, "/"); two {
			one["namespace"], name = before, after
		}
		if before, after, two := strings.Cut(name, "@"); two {
			name, one["interface"] = before, after
		}
		one["name"] = name
		out = append(out, one)
	}
	return out, nil
}

// attachTo writes the selections into the Pods of an object, in place of earlier ones with our interfaces.
func attachTo(object map[string]any, at []string, ours []string, add []map[string]any) error {
	annotations, _, err := unstructured.NestedStringMap(object, at...)
	if err != nil {
		return fmt.Errorf("the annotations of the Pods: %w", err)
	}
	have, err := selections(annotations[networksKey])
	if err != nil {
		return err
	}
	before := len(have)
	have = slices.DeleteFunc(have, func(s map[string]any) bool {
		name, _ := s["interface"].(string)
		return slices.Contains(ours, name)
	})
	if len(have) == before && len(add) == 0 {
		return nil
	}
	have = append(have, add...)
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, networksKey)
	if len(have) > 0 {
		text, err := json.Marshal(have)
		if err != nil {
			return fmt.Errorf("the networks of the Pods: %w", err)
		}
		annotations[networksKey] = string(text)
	}
	if len(annotations) == 0 {
		unstructured.RemoveNestedField(object, at...)
		return nil
	}
	return unstructured.SetNestedStringMap(object, annotations, at...)
}

// podAnnotations returns the path of the annotations of an object's Pods.
func podAnnotations(kind string) []string {
	if kind == "Pod" {
		return []string{"metadata", "annotations"}
	}
	return []string{"spec", "template", "metadata", "annotations"}
}
