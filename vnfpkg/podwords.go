package vnfpkg

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
type textReader struct{ *topology }

func (r *textReader) checkLabel(at *value, what, name string) {
	if !clusterLabel.MatchString(name) {
		r.problem(at.place(), "%s is %s, which cannot be a name on a cluster: use at most 63 small letters, "+
			"digits and dashes", what, quoteName(name))
	}
}

// word is the text of a value; an input is replaced by its default.
func (r *textReader) word(v *value) string {
	resolved := resolveInput(r.root, v)
	switch {
	case v.isMap() && resolved.isNull() && v.at("get_input").str() != "":
		r.problem(v.place(), "the input %s has no default, and containers can get its default only",
			quoteName(v.at("get_input").str()))
	case resolved.isMap() || resolved.isList():
		r.problem(v.place(), "must be a text: Windlass knows only the function get_input here")
	}
	return resolved.str()
}

// written is a property of a node, or its type's default, with inputs unresolved.
func (r *textReader) written(node *value, name string) *value {
	if v := node.at("properties", name); !v.isNull() {
		return v
	}
	return r.typeDefault(node.at("type").str(), name)
}

// text is a text of a container. It may be an input that requests set.
func (r *textReader) text(v *value) Word {
	name := v.at("get_input").str()
	if name == "" {
		return Word{Text: r.word(v)}
	}
	given := resolveInput(r.root, v)
	switch {
	case !r.root.at("inputs").has(name):
		r.problem(v.place(), "the input %s is not declared (topology_template.inputs)", quoteName(name))
	case isSecretName(name):
		r.problem(v.place(), "the input %s has the name of a secret, but everybody who reads Pods can read the "+
			"values that the VNFD gives containers: use a Secret, in manifests or a chart", quoteName(name))
	case given.isMap() || given.isList():
		r.problem(v.place(), "the input %s is no text", quoteName(name))
	}
	return Word{Text: given.str(), Input: name, Required: given.isNull()}
}

// texts are the texts of a list, or a single text.
func (r *textReader) texts(v *value) (out []Word) {
	if !v.isList() {
		if v.isNull() {
			return nil
		}
		return []Word{r.text(v)}
	}
	for _, item := range v.items {
		out = append(out, r.text(item))
	}
	return out
}

// textMap are the texts of a mapping, or of a list of mappings.
func (r *textReader) textMap(v *value) map[string]Word {
	noMap := func(item *value) bool { return !item.isMap() }
	if !v.isNull() && !v.isMap() && (!v.isList() || slices.ContainsFunc(v.items, noMap)) {
		r.problem(v.place(), "must be a mapping of texts")
		return nil
	}
	out := map[string]Word{}
	for key, item := range v.named() {
		out[key] = r.text(item)
	}
	return out
}

// env reads variables: a mapping, or a list of {name: ..., value: ...}.
func (r *textReader) env(v *value) map[string]Word {
	out := map[string]Word{}
	if v.isList() {
		for _, item := range v.items {
			if name := r.word(item.at("name")); name != "" {
				out[name] = r.text(item.at("value"))
				continue
			}
			maps.Copy(out, r.textMap(item))
		}
	} else {
		out = r.textMap(v)
	}
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if strings.ContainsAny(name, "=\x00") || name == "" {
			r.problem(v.place(), "%s is not a valid name of a variable", quoteName(name))
		}
	}
	return out
}

// config reads the content of a ConfigMap: a mapping, or a mapping written as text, as Tacker allows.
func (r *textReader) config(v *value) map[string]Word {
	at := v
	if text := v.str(); text != "" {
		parsed, err := parseYAML(v.file, []byte(text), r.limits.YAML)
		if err != nil || !parsed.isMap() {
			r.problem(at.place(), "the config is a text that does not contain a mapping such as \"name: value\"")
			return nil
		}
		v = parsed
	}
	out := r.textMap(v)
	for _, key := range slices.Sorted(maps.Keys(out)) {
		if !configKey.MatchString(key) {
			r.problem(at.place(), "the config has the member %s, whose name may have letters, digits and -._ only",
				quoteName(key))
		}
	}
	return out
}

// labels reads a mapping, or a list of texts such as "app: web".
func (r *textReader) labels(v *value) map[string]string {
	out := map[string]string{}
	if v.str() != "" {
		r.problem(v.place(), "labels must be a mapping, or a list of texts such as \"app: web\"")
	}
	if v.isList() {
		for _, item := range v.items {
			if key, value, ok := strings.Cut(item.str(), ":"); ok {
				out[strings.TrimSpace(key)] = strings.TrimSpace(value)
				continue
			}
			if !item.isMap() {
				r.problem(item.place(), "%s is not a label such as \"app: web\"", quoteName(item.str()))
			}
			for key, value := range item.members() {
				out[key] = r.word(value)
			}
		}
	}
	for key, value := range v.members() {
		out[key] = r.word(value)
	}
	if len(out) > maxItems {
		r.problem(v.place(), "there are more than the %d labels allowed", maxItems)
	}
	for _, key := range slices.Sorted(maps.Keys(out)) {
		if !labelKey.MatchString(key) || !labelValue.MatchString(out[key]) || strings.HasPrefix(key, ownLabels) {
			r.problem(v.place(), "%s: %s is not a label that an object of a package can have on a cluster",
				quoteName(key),
				quoteName(out[key]))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// namespace is the namespace that a node names for its objects.
func (r *textReader) namespace(node *value) string {
	at := r.property(node, "namespace")
	if name := r.word(at); name != "" {
		r.checkLabel(at, "the namespace", name)
		return name
	}
	return ""
}

// port is a port number. For anything else it reports a problem and returns 0.
func (r *textReader) port(at *value, text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 || n > 65535 {
		r.problem(at.place(), "%s is not a port: a port is a number between 1 and 65535", quoteName(text))
		return 0
	}
	return n
}

// protocol is a Kubernetes protocol; the default is TCP.
func (r *textReader) protocol(at *value, text string) string {
	switch p := strings.ToUpper(strings.TrimSpace(text)); p {
	case "":
		return "TCP"
	case "TCP", "UDP", "SCTP":
		return p
	default:
		r.problem(at.place(), "%s is not a protocol of a port: use tcp, udp or sctp", quoteName(text))
		return "TCP"
	}
}

// containerPorts reads ports: numbers, "53/udp", or {name: ..., port: ..., protocol: ...}.
func (r *textReader) containerPorts(v *value) (out []ContainerPort) {
	for _, item := range v.list() {
		number, protocol, _ := strings.Cut(item.str(), "/")
		p := ContainerPort{}
		if item.isMap() {
			number = cmp.Or(r.word(item.at("port")), r.word(item.at("containerPort")))
			protocol = r.word(item.at("protocol"))
			if p.Name = r.word(item.at("name")); p.Name != "" && !portName.MatchString(p.Name) {
				r.problem(item.place(), "%s is not a valid name of a port: use at most 15 small letters, digits "+
					"and dashes", quoteName(p.Name))
			}
		}
		if !r.room("ports of a container", len(out), item) {
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
