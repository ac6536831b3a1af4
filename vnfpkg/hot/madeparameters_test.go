package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func made(t *testing.T, f vnfpkgtest.Files, req hot.Request, params map[string]any) (map[string]any, error) {
	t.Helper()
	fl, template := f.Template(t, "small")
	return hot.MadeParameters(fl, template, req, params)
}

func TestMadeParameters_haveTheSizesAndTheGrantedChoices(t *testing.T) {
	nfv := func(image string) map[string]any {
		return map[string]any{
			"VDU": map[string]any{"node": map[string]any{"image": image, "flavor": "own"}},
			"CP":  map[string]any{"node_CP": map[string]any{"network": "own-net"}},
		}
	}
	params, err := made(t, vnfpkgtest.Minimal(),
		hot.Request{LevelID: "high", Images: map[string]string{"node": "granted"}},
		map[string]any{"nfv": nfv("own"), "workers_desired_capacity": 1})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"nfv": nfv("granted"), "workers_desired_capacity": 4}, params)

	_, err = made(t, vnfpkgtest.Minimal(), hot.Request{Zones: map[string]string{"node": "west"}},
		map[string]any{"nfv": nfv("own"), "other": 1})
	require.Equal(t, []string{
		`$.additionalParams.lcm-operation-user-data-class: the user data class has made the parameter "other", which the Base HOT does not have`,
		"$.addResources: the grant puts the servers of node into the zone west, but the Base HOT has no parameter " +
			"for a zone " +
			"(nfv.VDU.node.locationConstraints)",
	}, vnfpkgtest.Problems(t, err))

	_, err = made(t, vnfpkgtest.Minimal(), hot.Request{}, nil)
	require.Equal(t, []string{"$.additionalParams.nfv: the Base HOT needs this parameter of type json"},
		vnfpkgtest.Problems(t, err))
}

func TestFlavour_sizesAndChoices(t *testing.T) {
	f := &vnfpkgtest.Minimal().Open(t).Vnfd.Flavours[0]
	require.Equal(t, map[string]int{"workers": 7}, f.Sizes(map[string]int{"node": 7}))
	images, flavours := hot.Request{Images: map[string]string{"node": "granted"}}.Chosen(f)
	require.Equal(t, map[string]string{"node": "granted"}, images)
	require.Equal(t, map[string]string{"node": "m1.small"}, flavours)
}
