package vnfpkgtest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// FuzzLimits are small, so that the fuzzer reaches them.
var FuzzLimits = archive.Limits{
	MaxEntries: 64, MaxTotalSize: 1 << 20,
	YAML: document.Limits{MaxSize: 64 << 10, MaxNodes: 4096, MaxDepth: 32},
}

// RequireInvalid fails the test unless the error says that the input is wrong.
func RequireInvalid(t testing.TB, err error) {
	t.Helper()
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
}

// Use does everything with a package that Windlass does.
func Use(t testing.TB, p *vnfpkg.Package) {
	t.Helper()
	text, err := json.Marshal(p.Vnfd)
	require.NoError(t, err)
	var again descriptor.Vnfd
	require.NoError(t, json.Unmarshal(text, &again))
	files := FilesOf(p)
	for i := range again.Flavours {
		f := &again.Flavours[i]
		for _, level := range append(f.Levels, descriptor.Level{}) {
			if _, err := f.Capacity(level.ID); err != nil {
				RequireInvalid(t, err)
			}
		}
		template, err := hot.StackTemplate(f, files.Read)
		if err != nil {
			RequireInvalid(t, err)
			continue
		}
		if _, err := hot.Parameters(f, template,
			hot.Request{AdditionalParams: map[string]any{"nfv": map[string]any{"VDU": nil}}}); err != nil {
			RequireInvalid(t, err)
		}
	}
	for range p.Files(1 << 20) {
	}
	require.NoError(t, p.Err())
}
