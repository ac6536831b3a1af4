package vnfpkg_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestDifferences_areThoseBeyondImages(t *testing.T) {
	m := vnfpkgtest.Minimal()
	v := m.Open(t).Vnfd
	for want, next := range map[string]vnfpkgtest.Files{
		"": m.ReplaceVnfd(t, "descriptor_id: vnfd-1", "descriptor_id: vnfd-2").ReplaceVnfd(t, "name: image-1",
			"name: image-2, version: '3'").
			ReplaceVnfd(t, "software_version: 1.0", "software_version: 2.0").ReplaceVnfd(t, "descriptor_version: '2'",
			"descriptor_version: '3'"),
		"productName": m.ReplaceVnfd(t, "product_name: Something", "product_name: Other"),
		"flavours[small].vdus[node].computeFlavour": m.ReplaceVnfd(t, "m1.small", "m1.large"),
		"flavours[small].aspects":                   m.ReplaceVnfd(t, "max_scale_level: 3", "max_scale_level: 4"),
		"flavours[small].vdus[node].image": m.ReplaceVnfd(t, "        sw_image_data: { name: image-1 }\n",
			"        description: none\n"),
		"flavours[small].hooks.instantiate_end": m.ReplaceVnfd(t, "mgmt-drivers-kubernetes",
			"mgmt-drivers-private-registry"),
	} {
		other := next.Open(t).Vnfd
		differences := v.Differences(&other)
		if want == "" {
			require.Empty(t, differences)
			continue
		}
		require.NotEmpty(t, differences, want)
		require.Contains(t, differences[0], want)
	}
	require.Equal(t, "image-1", v.Flavours[0].Vdus[0].Image.Name, "the VNFD itself stays")
}

func TestOtherImages_areTheFormerOnes(t *testing.T) {
	m := vnfpkgtest.Minimal()
	f, other := m.Open(t).Vnfd.Flavours[0], m.ReplaceVnfd(t, "name: image-1",
		"name: image-2").Open(t).Vnfd.Flavours[0]
	require.Equal(t, map[string]string{"node": "image-1"}, hot.OtherImages(&f, &other))
	require.Empty(t, hot.OtherImages(&f, &f))
}

// TestHeatParameters_haveTheImagesThatAreKept checks that kept images are used, because with another image Heat would
// replace every server of a group.
func TestHeatParameters_haveTheImagesThatAreKept(t *testing.T) {
	p := vnfpkgtest.Minimal().Open(t)
	f := &p.Vnfd.Flavours[0]
	template, err := hot.StackTemplate(f, func(path string) ([]byte, error) {
		b, ok := vnfpkgtest.Minimal()[path]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(b), nil
	})
	require.NoError(t, err)
	image := func(granted string) any {
		req := hot.Request{
			Capacity:        map[string]int{"node": 1},
			ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net", ExtCps: []lcm.ExtCp{{CpdID: "node_CP"}}}},
			KeptImages:      map[string]string{"node": "image-0"},
		}
		if granted != "" {
			req.Images = map[string]string{"node": granted}
		}
		params, err := hot.Parameters(f, template, req)
		require.NoError(t, err)
		return params["nfv"].(map[string]any)["VDU"].(map[string]any)["node"].(map[string]any)["image"]
	}
	require.Equal(t, "image-0", image(""))
	require.Equal(t, "image-7", image("image-7"), "what an NFVO has granted goes first")
}

// TestDifferingFiles_areThoseThatSaySomethingElse checks that a file with the same meaning in another form, or with
// another name, does not change the stack.
func TestDifferingFiles_areThoseThatSaySomethingElse(t *testing.T) {
	const hot, nested = vnfpkgtest.SmallHOT, vnfpkgtest.NestedHOT
	m := vnfpkgtest.Minimal()
	v := m.Open(t).Vnfd
	for name, c := range map[string]struct {
		next vnfpkgtest.Files
		want []string
	}{
		"the same":    {m, nil},
		"a comment":   {m.With(nested, "# New.\n"+m[nested]), nil},
		"description": {m.With(hot, m[hot]+"description: new\n"), nil},
		"a new name":  {m.Without(hot).With("BaseHOT/small/other.yaml", m[hot]), nil},
		"another":     {m.With(hot, m[hot]+"outputs: { new: { value: 1 } }\n"), []string{hot}},
		"nested":      {m.With(nested, m[nested]+"outputs: { new: { value: 1 } }\n"), []string{nested}},
		"both": {
			m.Without(hot).With("BaseHOT/small/other.yaml", m[hot]+"outputs: { new: { value: 1 } }\n").With(nested,
				m[nested]+"outputs: { new: { value: 1 } }\n"),
			[]string{"BaseHOT/small/other.yaml", nested},
		},
	} {
		next := c.next.Open(t).Vnfd
		require.Empty(t, v.Differences(&next), name)
		got, err := v.Flavours[0].DifferingFiles(&next.Flavours[0], m.Read, c.next.Read)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}
