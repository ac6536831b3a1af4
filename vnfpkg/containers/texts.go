package containers

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

var (
	clusterLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	configKey    = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)
	// labelKey and labelValue match valid Kubernetes labels.
	labelKey = regexp.MustCompile(
		`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)
	labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$`)
	portName   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$`)
)

// ownLabels is the prefix of the labels that Windlass sets.
const ownLabels = "windlass.nfv/"

// textReader reads what containers get as texts: words, numbers, sizes and names of a cluster.
type textReader struct{ *tosca.Topology }

func (r *textReader) checkLabel(at *document.Value, what, name string) {
	if !clusterLabel.MatchString(name) {
		r.Problem(at.Place(), "%s is %s, which cannot be a name on a cluster: use at most 63 small letters, "+
			"digits and dashes", what, document.Quote(name))
	}
}

// word is the text of a value; an input is replaced by its default.
func (r *textReader) word(v *document.Value) string {
	resolved := tosca.ResolveInput(r.Root, v)
	switch {
	case v.IsMap() && resolved.IsNull() && v.At("get_input").Str() != "":
		r.Problem(v.Place(), "the input %s has no default, and containers can get its default only",
			document.Quote(v.At("get_input").Str()))
	case resolved.IsMap() || resolved.IsList():
		r.Problem(v.Place(), "must be a text: Windlass knows only the function get_input here")
	}
	return resolved.Str()
}

// written is a property of a node, or its type's default, with inputs unresolved.
func (r *textReader) written(node *document.Value, name string) *document.Value {
	if v := node.At("properties", name); !v.IsNull() {
		return v
	}
	return r.TypeDefault(node.At("type").Str(), name)
}

// text is a text of a container. It may be an input that requests set.
func (r *textReader) text(v *document.Value) descriptor.Word {
	name := v.At("get_input").Str()
	if name == "" {
		return descriptor.Word{Text: r.word(v)}
	}
	given := tosca.ResolveInput(r.Root, v)
	switch {
	case !r.Root.At("inputs").Has(name):
		r.Problem(v.Place(), "the input %s is not declared (topology_template.inputs)", document.Quote(name))
	case tosca.IsSecret(name):
		r.Problem(v.Place(), "the input %s has the name of a secret, but everybody who reads Pods can read the "+
			"values that the VNFD gives containers: use a Secret, in manifests or a chart", document.Quote(name))
	case given.IsMap() || given.IsList():
		r.Problem(v.Place(), "the input %s is no text", document.Quote(name))
	}
	return descriptor.Word{Text: given.Str(), Input: name, Required: given.IsNull()}
}

// texts are the texts of a list, or a single text.
func (r *textReader) texts(v *document.Value) (out []descriptor.Word) {
	if !v.IsList() {
		if v.IsNull() {
			return nil
		}
		return []descriptor.Word{r.text(v)}
	}
	for _, item := range v.Items {
		out = append(out, r.text(item))
	}
	return out
}

// textMap are the texts of a mapping, or of a list of mappings.
func (r *textReader) textMap(v *document.Value) map[string]descriptor.Word {
	noMap := func(item *document.Value) bool { return !item.IsMap() }
	if !v.IsNull() && !v.IsMap() && (!v.IsList() || slices.ContainsFunc(v.Items, noMap)) {
		r.Problem(v.Place(), "must be a mapping of texts")
		return nil
	}
	out := map[string]descriptor.Word{}
	for key, item := range v.Named() {
		out[key] = r.text(item)
	}
	return out
}

// env reads variables: a mapping, or a list of {name: ..., value: ...}.
func (r *textReader) env(v *document.Value) map[string]descriptor.Word {
	out := map[string]descriptor.Word{}
	if v.IsList() {
		for _, item := range v.Items {
			if name := r.word(item.At("name")); name != "" {
				out[name] = r.text(item.At("value"))
				continue
			}
			maps.Copy(out, r.textMap(item))
		}
	} else {
		out = r.textMap(v)
	}
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if strings.ContainsAny(name, "=\x00") || name == "" {
			r.Problem(v.Place(), "%s is not a valid name of a variable", document.Quote(name))
		}
	}
	return out
}

// config reads the content of a ConfigMap: a mapping, or a mapping written as text, as Tacker allows.
func (r *textReader) config(v *document.Value) map[string]descriptor.Word {
	at := v
	if text := v.Str(); text != "" {
		parsed, err := document.Parse(v.File, []byte(text), r.Limits.YAML)
		if err != nil || !parsed.IsMap() {
			r.Problem(at.Place(), "the config is a text that does not contain a mapping such as \"name: value\"")
			return nil
		}
		v = parsed
	}
	out := r.textMap(v)
	for _, key := range slices.Sorted(maps.Keys(out)) {
		if !configKey.MatchString(key) {
			r.Problem(at.Place(), "the config has the member %s, whose name may have letters, digits and -._ only",
				document.Quote(key))
		}
	}
	return out
}

// labels reads a mapping, or a list of texts such as "app: web".
func (r *textReader) labels(v *document.Value) map[string]string {
	out := map[string]string{}
	if v.Str() != "" {
		r.Problem(v.Place(), "labels must be a mapping, or a list of texts such as \"app: web\"")
	}
	if v.IsList() {
		for _, item := range v.Items {
			if key, value, ok := strings.Cut(item.Str(), ":"); ok {
				out[strings.TrimSpace(key)] = strings.TrimSpace(value)
				continue
			}
			if !item.IsMap() {
				r.Problem(item.Place(), "%s is not a label such as \"app: web\"", document.Quote(item.Str()))
			}
			for key, value := range item.Members() {
				out[key] = r.word(value)
			}
		}
	}
	for key, value := range v.Members() {
		out[key] = r.word(value)
	}
	if len(out) > tosca.MaxItems {
		r.Problem(v.Place(), "there are more than the %d labels allowed", tosca.MaxItems)
	}
	for _, key := range slices.Sorted(maps.Keys(out)) {
		if !labelKey.MatchString(key) || !labelValue.MatchString(out[key]) || strings.HasPrefix(key, ownLabels) {
			r.Problem(v.Place(), "%s: %s is not a label that an object of a package can have on a cluster",
				document.Quote(key),
				document.Quote(out[key]))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// namespace is the namespace that a node names for its objects.
func (r *textReader) namespace(node *document.Value) string {
	at := r.Property(node, "namespace")
	if name := r.word(at); name != "" {
		r.checkLabel(at, "the namespace", name)
		return name
	}
	return ""
}

// port is a port number. For anything else it reports a problem and returns 0.
func (r *textReader) port(at *document.Value, text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 || n > 65535 {
		r.Problem(at.Place(), "%s is not a port: a port is a number between 1 and 65535", document.Quote(text))
		return 0
	}
	return n
}

// protocol is a Kubernetes protocol; the default is TCP.
func (r *textReader) protocol(at *document.Value, text string) string {
	switch p := strings.ToUpper(strings.TrimSpace(text)); p {
	case "":
		return "TCP"
	case "TCP", "UDP", "SCTP":
		return p
	default:
		r.Problem(at.Place(), "%s is not a protocol of a port: use tcp, udp or sctp", document.Quote(text))
		return "TCP"
	}
}

// containerPorts reads ports: numbers, "53/udp", or {name: ..., port: ..., protocol: ...}.
func (r *textReader) containerPorts(v *document.Value) (out []descriptor.ContainerPort) {
	for _, item := range v.List() {
		number, protocol, _ := strings.Cut(item.Str(), "/")
		p := descriptor.ContainerPort{}
		if item.IsMap() {
			number = cmp.Or(r.word(item.At("port")), r.word(item.At("containerPort")))
			protocol = r.word(item.At("protocol"))
			if p.Name = r.word(item.At("name")); p.Name != "" && !portName.MatchString(p.Name) {
				r.Problem(item.Place(), "%s is not a valid name of a port: use at most 15 small letters, digits "+
					"and dashes", document.Quote(p.Name))
			}
		}
		if !r.Room("ports of a container", len(out), item) {
			break
		}
		p.Port, p.Protocol = r.port(item, number), r.protocol(item, protocol)
		if p.Port > 0 {
			out = append(out, p)
		}
	}
	return out
}

// mostMilli is how many thousandths of a CPU a container may have: more than any node has.
const mostMilli = 10_000_000
