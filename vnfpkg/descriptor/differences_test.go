package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
