package hot_test

import (
	"strings"
	"testing"

	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

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
	f.Add(vnfpkgtest.MinimalHOT, vnfpkgtest.MinimalNested)
	f.Add("heat_template_version: x\nresources: { r: { type: node.yaml } }\n", "resources: { r: { type: node.yaml } }\n")
	f.Add("description: &a "+strings.Repeat("x", 9_000)+"\nresources: {"+strings.Repeat("r: {type: OS::Heat::None, description: *a}, ", 400)+"}\n",
		vnfpkgtest.MinimalNested)
	f.Fuzz(func(t *testing.T, top, nested string) {
		sources := vnfpkgtest.Minimal().With(vnfpkgtest.SmallHOT, top).With(vnfpkgtest.NestedHOT, nested)
		flavour := vnfpkgtest.Minimal().Open(t).Vnfd.Flavours[0]
		// Templates are checked before StackTemplate gets them, but it must not depend on that.
		if template, err := hot.StackTemplate(&flavour, sources.Read); err != nil {
			vnfpkgtest.RequireInvalid(t, err)
		} else if size := sizeOfText(template); size > 8*largestExpansion {
			t.Fatalf("%d bytes of templates have become %d", len(top)+len(nested), size)
		} else if _, err := hot.Parameters(&flavour, template, hot.Request{}); err != nil {
			vnfpkgtest.RequireInvalid(t, err)
		}
		p, err := vnfpkgtest.OpenBytes(sources.Zip(), vnfpkgtest.FuzzLimits)
		if err != nil {
			vnfpkgtest.RequireInvalid(t, err)
			return
		}
		vnfpkgtest.Use(t, p)
	})
}
