package vnflcm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInCamelCase_changesOnlyWhatItMust(t *testing.T) {
	for body, want := range map[string]string{
		`{"vimConnectionInfo":[{"id":"a","vim_id":"b"}],"metadata":{"vim_id":1}}`: `{"metadata":{"vim_id":1},"vimConnectionInfo":[{"id":"a","vimId":"b"}]}`,
		`{"vimConnectionInfo":[{"id":"a","vim_id":"b","vimId":"c"}]}`:             "",
		`{ "vimConnectionInfo" : [ {"id":"a"} ] }`:                                "",
		`{"vimConnectionInfo":{"a":{"vim_id":"b"}}}`:                              "",
		`{"vimConnectionInfo":[7]}`:                                               "",
		`{"vnfInstanceName":"x"}`:                                                 "",
		`[]`:                                                                      "",
		`no JSON`:                                                                 "",
	} {
		if want == "" {
			want = body
		}
		require.Equal(t, want, string(inCamelCase([]byte(body))))
	}
}
