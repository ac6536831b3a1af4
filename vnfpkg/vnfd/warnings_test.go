package vnfd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// TestOpen_warnsOfWhatItDoesWithout checks that a package is accepted although it lacks elements that Windlass does not
// need, as other VNFMs accept it.
func TestOpen_warnsOfWhatItDoesWithout(t *testing.T) {
	const (
		implementation = "implementation: mgmt-drivers-kubernetes"
		interfaces     = "      interfaces:\n"
		flavourID      = "      flavour_id: small\n"
		image          = "        sw_image_data: { name: image-1 }\n"
		capabilities   = "      capabilities:\n"
	)
	m := vnfpkgtest.Minimal()
	artifact := func(file string) vnfpkgtest.Files {
		return m.ReplaceVnfd(t, implementation, "implementation: my-driver").
			ReplaceVnfd(t, interfaces, "      artifacts: { my-driver: { file: "+file+" } }\n"+interfaces)
	}
	imageFile := func(data, file string) vnfpkgtest.Files {
		return m.ReplaceVnfd(t, image, data).ReplaceVnfd(t, capabilities,
			"      artifacts: { sw_image: { type: tosca.artifacts.nfv.SwImage, file: "+file+" } }\n"+capabilities)
	}
	const summed = "        sw_image_data: { name: image-1, checksum: { algorithm: sha-256, hash: 0f1e } }\n"
	for name, test := range map[string]struct {
		files vnfpkgtest.Files
		want  []string
	}{
		"a mapping to an absent node": {
			m.ReplaceVnfd(t, flavourID, flavourID+"    requirements:\n      virtual_link_one: [ node_CP, virtual_link ]\n "+
				"     virtual_link_two: [ gone_CP, virtual_link ]\n"),
			[]string{`Definitions/top.yaml:9: the requirement virtual_link_two is mapped to the node "gone_CP", which does not exist`},
		},
		"a driver's file that is absent": {
			artifact("Scripts/mine.py"),
			[]string{`Definitions/top.yaml:21: Windlass has no driver of its own for "my-driver", whose file the ` +
				`archive lacks, so it will not carry out instantiate_end`},
		},
		"a driver's file elsewhere": {
			artifact("/opt/stack/tacker/mine.py"),
			[]string{`Definitions/top.yaml:21: Windlass has no driver of its own for "my-driver", whose file the ` +
				`archive lacks, so it will not carry out instantiate_end`},
		},
		"an absent file as the implementation": {
			m.ReplaceVnfd(t, implementation, "implementation: ../Scripts/mine.py"),
			[]string{`Definitions/top.yaml:20: Windlass has no driver of its own for "../Scripts/mine.py", whose ` +
				`file the archive lacks, so it will not carry out instantiate_end`},
		},
		"a file that a driver of Windlass replaces": {artifact("/opt/stack/tacker/kubernetes_mgmt.py"), []string{}},
		"an image in the package": {
			imageFile(summed, "../Files/images/one.img").With("Files/images/one.img", "an image"),
			[]string{},
		},
		"an image in the package that has no name": {
			imageFile("        description: none\n", "../Files/images/one.img").With("Files/images/one.img", "an image"),
			[]string{`Definitions/top.yaml:25: the image "../Files/images/one.img" has no name, and is not uploaded to the VIM: Glance must have it by the name that the templates use`},
		},
		"an image that the package lacks": {
			imageFile(summed, "../Files/images/one.img"),
			[]string{`Definitions/top.yaml:25: names the image "../Files/images/one.img", which the archive lacks: Glance must have an image named "image-1" with the sha-256 "0f1e"`},
		},
		"an image without a checksum": {
			imageFile(image, "one.img"),
			[]string{`Definitions/top.yaml:25: names the image "one.img", which the archive lacks: Glance must have an image named "image-1"`},
		},
		"an image without a name": {
			imageFile("        description: none\n", "one.img"),
			[]string{`Definitions/top.yaml:25: names the image "one.img", which the archive lacks: Glance must have it by the name that the templates use`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := test.files.Open(t)
			require.Equal(t, test.want, vnfpkgtest.Sentences(p.Warnings))
			require.Len(t, p.Vnfd.Flavours, 1)
		})
	}
	p := artifact("Scripts/mine.py").Open(t)
	require.Equal(t, descriptor.Hook{Implementation: "my-driver"}, p.Vnfd.Flavours[0].Hooks["instantiate_end"])
}
