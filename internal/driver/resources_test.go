package driver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// TestResources_areThoseOfVimsThatTakeTemplates asks for the resources of a package with a Base HOT. A VIM without
// templates never reads it, so that a driver refuses nothing because of it.
func TestResources_areThoseOfVimsThatTakeTemplates(t *testing.T) {
	read := 0
	r := driver.Request{
		Flavour: &descriptor.Flavour{ID: "small", BaseHOT: "BaseHOT/small/top.yaml"},
		Package: driver.Package{Read: func(context.Context, string) ([]byte, error) {
			read++
			return []byte("heat_template_version: 2013-05-23\nresources: {disk: {type: OS::Cinder::Volume}}\n"), nil
		}},
	}
	_, ok := r.Resources(t.Context())
	require.False(t, ok)
	require.Zero(t, read)

	r.Vim = lcm.VimKind{TakesTemplates: true}
	resources, ok := r.Resources(t.Context())
	require.True(t, ok)
	require.Equal(t, driver.Resources{"disk": "OS::Cinder::Volume"}, resources)
}
