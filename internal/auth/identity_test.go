package auth_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/auth"
)

func TestScopes_whatTheyLetDo(t *testing.T) {
	read := auth.Need{APIs: []string{"vnflcm:v1"}, Access: auth.Read}
	write := auth.Need{APIs: []string{"vnflcm:v1", "vnflcm:v2"}, Access: auth.Write}
	heal := auth.Need{APIs: []string{"vnflcm:v1", "vnflcm:v2"}, Access: auth.Write, Task: "heal"}
	any, admin := auth.Need{Access: auth.Read}, auth.Need{Access: auth.Admin}
	for scope, want := range map[string][5]bool{
		"vnflcm:v1:readonly":  {true, false, false, false, false},
		"vnflcm:v1:all":       {true, true, true, false, false},
		"vnflcm:v2:all":       {false, true, true, false, false},
		"vnflcm:v2:heal":      {false, false, true, false, false},
		"vnflcm:v2:terminate": {},
		"vnflcm:v3:heal":      {},
		"vnfpkgm:v1:all":      {},
		"windlass:read":       {true, false, false, true, false},
		"windlass:write":      {true, true, true, true, false},
		"windlass:admin":      {true, true, true, true, true},
		"windlass:heal":       {},
		"windlass":            {},
		"":                    {},
	} {
		i := auth.Identity{Scopes: []string{"openid", scope}}
		assert.Equal(t, want, [5]bool{i.May(read), i.May(write), i.May(heal), i.May(any), i.May(admin)}, scope)
	}
	assert.Equal(t, []string{
		"vnflcm:v1:heal", "vnflcm:v2:heal", "vnflcm:v1:all", "vnflcm:v2:all", "windlass:write",
		"windlass:admin",
	}, heal.Scopes())
	assert.Equal(t, []string{"vnflcm:v1:all", "vnflcm:v2:all", "windlass:write", "windlass:admin"}, write.Scopes())
	assert.True(t, auth.Nobody.Scope().All)
}
