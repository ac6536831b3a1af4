package vnfpkg

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

func TestDifferences_areThoseBeyondImages(t *testing.T) {
	m := minimal()
	v := m.open(t).Vnfd
	for want, next := range map[string]files{
		"": m.replace(t, topVnfd, "descriptor_id: vnfd-1", "descriptor_id: vnfd-2").replace(t, topVnfd, "name: image-1",
			"name: image-2, version: '3'").
			replace(t, topVnfd, "software_version: 1.0", "software_version: 2.0").replace(t, topVnfd, "descriptor_version: '2'",
			"descriptor_version: '3'"),
		"productName": m.replace(t, topVnfd, "product_name: Something", "product_name: Other"),
		"flavours[small].vdus[node].computeFlavour": m.replace(t, topVnfd, "m1.small", "m1.large"),
		"flavours[small].aspects":                   m.replace(t, topVnfd, "max_scale_level: 3", "max_scale_level: 4"),
		"flavours[small].vdus[node].image": m.replace(t, topVnfd, "        sw_image_data: { name: image-1 }\n",
			"        description: none\n"),
		"flavours[small].hooks.instantiate_end": m.replace(t, topVnfd, "mgmt-drivers-kubernetes",
			"mgmt-drivers-private-registry"),
	} {
		other := next.open(t).Vnfd
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
	m := minimal()
	f, other := m.open(t).Vnfd.Flavours[0], m.replace(t, topVnfd, "name: image-1",
		"name: image-2").open(t).Vnfd.Flavours[0]
	require.Equal(t, map[string]string{"node": "image-1"}, hot.OtherImages(&f, &other))
	require.Empty(t, hot.OtherImages(&f, &f))
}

// TestHeatParameters_haveTheImagesThatAreKept checks that kept images are used, because with another image Heat would
// replace every server of a group.
func TestHeatParameters_haveTheImagesThatAreKept(t *testing.T) {
	p := minimal().open(t)
	f := &p.Vnfd.Flavours[0]
	template, err := hot.StackTemplate(f, func(path string) ([]byte, error) {
		b, ok := minimal()[path]
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
	const hot, nested = "BaseHOT/small/top.yaml", "BaseHOT/small/nested/node.yaml"
	m := minimal()
	v := m.open(t).Vnfd
	for name, c := range map[string]struct {
		next files
		want []string
	}{
		"the same":    {m, nil},
		"a comment":   {m.with(nested, "# New.\n"+m[nested]), nil},
		"description": {m.with(hot, m[hot]+"description: new\n"), nil},
		"a new name":  {m.without(hot).with("BaseHOT/small/other.yaml", m[hot]), nil},
		"another":     {m.with(hot, m[hot]+"outputs: { new: { value: 1 } }\n"), []string{hot}},
		"nested":      {m.with(nested, m[nested]+"outputs: { new: { value: 1 } }\n"), []string{nested}},
		"both": {
			m.without(hot).with("BaseHOT/small/other.yaml", m[hot]+"outputs: { new: { value: 1 } }\n").with(nested,
				m[nested]+"outputs: { new: { value: 1 } }\n"),
			[]string{"BaseHOT/small/other.yaml", nested},
		},
	} {
		next := c.next.open(t).Vnfd
		require.Empty(t, v.Differences(&next), name)
		got, err := v.Flavours[0].DifferingFiles(&next.Flavours[0], m.read, c.next.read)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}
