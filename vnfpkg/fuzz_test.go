package vnfpkg

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// fuzzLimits are small, so that the fuzzer reaches them.
var fuzzLimits = archive.Limits{
	MaxEntries: 64, MaxTotalSize: 1 << 20,
	YAML: document.Limits{MaxSize: 64 << 10, MaxNodes: 4096, MaxDepth: 32},
}

// use does everything with a package that Windlass does.
func use(t *testing.T, p *Package) {
	text, err := json.Marshal(p.Vnfd)
	require.NoError(t, err)
	var again descriptor.Vnfd
	require.NoError(t, json.Unmarshal(text, &again))
	for i := range again.Flavours {
		f := &again.Flavours[i]
		for _, level := range append(f.Levels, descriptor.Level{}) {
			if _, err := f.Capacity(level.ID); err != nil {
				requireInvalid(t, err)
			}
		}
		template, err := hot.StackTemplate(f, p.file)
		if err != nil {
			requireInvalid(t, err)
			continue
		}
		if _, err := hot.Parameters(f, template,
			hot.Request{AdditionalParams: map[string]any{"nfv": map[string]any{"VDU": nil}}}); err != nil {
			requireInvalid(t, err)
		}
	}
	for range p.Files(1 << 20) {
	}
	require.NoError(t, p.Err())
}

func requireInvalid(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
}

func FuzzOpen(f *testing.F) {
	f.Add(minimal().zip())
	f.Add([]byte("PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := openBytes(data, fuzzLimits)
		if err != nil {
			requireInvalid(t, err)
			return
		}
		use(t, p)
	})
}

func FuzzVnfd(f *testing.F) {
	f.Add(minimalVnfd)
	f.Add(podded()[podVnfd])
	f.Add("a: &a [*a]\n<<: *a\n")
	f.Add("imports: [ top.yaml, { x: { file: top.yaml } } ]\ntosca_definitions_version: tosca_simple_yaml_1_3\n")
	f.Fuzz(func(t *testing.T, vnfd string) {
		p, err := openBytes(minimal().with("Definitions/top.yaml", vnfd).zip(), fuzzLimits)
		if err != nil {
			requireInvalid(t, err)
			return
		}
		use(t, p)
	})
}

// largestExpansion is that of a YAML file by default.
const largestExpansion = 4 << 20

func sizeOfText(t hot.Template) (n int) {
	n = len(t.Top)
	for _, text := range t.Files {
		n += len(text)
	}
	return n
}

// FuzzHOT also looks whether templates grow without a bound.
func FuzzHOT(f *testing.F) {
	f.Add(minimalHOT, minimalNested)
	f.Add("heat_template_version: x\nresources: { r: { type: node.yaml } }\n", "resources: { r: { type: node.yaml } }\n")
	f.Add("description: &a "+strings.Repeat("x", 9_000)+"\nresources: {"+strings.Repeat("r: {type: OS::Heat::None, description: *a}, ", 400)+"}\n", minimalNested)
	f.Fuzz(func(t *testing.T, top, nested string) {
		sources := minimal().with(smallHOT, top).with("BaseHOT/small/nested/node.yaml", nested)
		flavour := minimal().open(t).Vnfd.Flavours[0]
		// Templates are checked before StackTemplate gets them, but it must not depend on that.
		if template, err := hot.StackTemplate(&flavour, sources.read); err != nil {
			requireInvalid(t, err)
		} else if size := sizeOfText(template); size > 8*largestExpansion {
			t.Fatalf("%d bytes of templates have become %d", len(top)+len(nested), size)
		} else if _, err := hot.Parameters(&flavour, template, hot.Request{}); err != nil {
			requireInvalid(t, err)
		}
		p, err := openBytes(sources.zip(), fuzzLimits)
		if err != nil {
			requireInvalid(t, err)
			return
		}
		use(t, p)
	})
}
