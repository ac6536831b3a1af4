// Package templates makes the templates of VNF packages that have none, for each kind of VIMs that takes templates.
package templates

import (
	"github.com/windlass-nfv/windlass/internal/vim/openstack/heat/generator"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// Make makes the templates of a flavour, which keeps them. It is a vnfd.Generator.
func Make(t *tosca.Topology, f *descriptor.Flavour) { generator.Templates(t, f) }
