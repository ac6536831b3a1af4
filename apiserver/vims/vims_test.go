package vims_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestVimIsRegisteredListedChangedAndDeleted(t *testing.T) {
	b := servertest.New(t)
	id := b.RegisterVim("lab", true)
	require.Equal(t, servertest.Marker+"-vim", b.Vims.Seen[0]["password"], "the checker gets the credentials in clear")

	vim := b.Do("GET", "/v1.0/vims/"+id+".json", nil).Want(http.StatusOK)["vim"].(map[string]any)
	require.Equal(t, map[string]any{"username": "nfv", "password": "***", "user_domain_name": "Default"}, vim["auth_cred"])
	require.Equal(t, "REACHABLE", vim["status"])
	require.Equal(t, map[string]any{"name": "nfv", "project_domain_name": "Default"}, vim["vim_project"])

	found := b.Do("GET", "/v1.0/vims.json?name=lab&fields=id", nil).Want(http.StatusOK)
	require.Equal(t, []any{map[string]any{"id": id}}, found["vims"])
	require.Empty(t, b.Do("GET", "/v1.0/vims?name=other", nil).Want(http.StatusOK)["vims"])
	require.Len(t, b.Do("GET", "/v1.0/vims?is_default=True", nil).Want(http.StatusOK)["vims"], 1)
	for filter, want := range map[string]int{
		"(eq,type,openstack)": 1, "(cont,auth_url,192.0.2);(eq,is_default,true)": 1, "(eq,vim_project/name,other)": 0,
		"(in,status,UNREACHABLE,PENDING)": 0, "(cont,auth_cred/password,$)": 0,
	} {
		path := "/v1.0/vims?filter=" + url.QueryEscape(filter)
		require.Len(t, b.Do("GET", path, nil).Want(http.StatusOK)["vims"], want, filter)
	}
	for _, query := range []string{
		"color=red", "filter=(eq,color,red)", "filter=red", "filter=", "filter=(eq,name,a)&filter=(eq,name,b)",
	} {
		require.Equal(t, http.StatusBadRequest, b.Do("GET", "/v1.0/vims?"+query, nil).Status, query)
	}

	vim = b.Do("PUT", "/v1.0/vims/"+id+".json", map[string]any{"vim": map[string]any{
		"description": "north", "auth_cred": map[string]any{"password": servertest.Marker + "-new"},
	}}).Want(http.StatusOK)["vim"].(map[string]any)
	require.Equal(t, "north", vim["description"])
	require.Equal(t, "nfv", vim["auth_cred"].(map[string]any)["username"], "what is not given stays")
	require.Equal(t, servertest.Marker+"-new", b.Vims.Seen[1]["password"])
	require.Len(t, b.Sealed(), 1, "the old password is deleted")

	b.Do("DELETE", "/v1.0/vims/"+id, nil).Want(http.StatusNoContent)
	require.Empty(t, b.Sealed())
	require.Equal(t, "NotFound", b.Do("GET", "/v1.0/vims/"+id, nil).TackerType(http.StatusNotFound))
	require.Equal(t, "NotFound", b.Do("GET", "/v1.0/vims/nothing.json", nil).TackerType(http.StatusNotFound))
}

func TestVimThatCannotBeUsedIsNotRegistered(t *testing.T) {
	b := servertest.New(t)
	vim := map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
		"auth_cred": map[string]any{"username": "nfv", "password": servertest.Marker},
	}
	b.Vims.Refuse = lcm.Errorf(lcm.KindDenied, "The VIM refuses the user nfv or its password.")
	require.Equal(t, "VimUnauthorizedException", b.Do("POST", "/v1.0/vims", map[string]any{"vim": vim}).
		TackerType(http.StatusBadRequest))
	b.Vims.Refuse = lcm.Errorf(lcm.KindUnavailable, "The VIM at 192.0.2.5 does not answer.")
	require.Equal(t, "VimConnectionException", b.Do("POST", "/v1.0/vims", map[string]any{"vim": vim}).
		TackerType(http.StatusServiceUnavailable))
	require.Empty(t, b.Sealed())

	b.Vims.Refuse = nil
	b.Do("POST", "/v1.0/vims.json", map[string]any{"vim": vim}).Want(http.StatusCreated)
	require.Equal(t, "Conflict", b.Do("POST", "/v1.0/vims", map[string]any{"vim": vim}).TackerType(http.StatusConflict))
	require.Len(t, b.Sealed(), 1, "what was sealed for the refused one is deleted")
}

func TestVimWithMisspeltMembersIsRefusedBeforeItIsTried(t *testing.T) {
	b := servertest.New(t)
	vim := map[string]any{
		"name":     "lab",
		"type":     "openstack",
		"auth_url": "http://192.0.2.5/identity/v3",
		"auth_cred": map[string]any{
			"username": "nfv",
			"pasword":  servertest.Marker,
		},
		"extra": map[string]any{"ssh_prt": "2222"},
	}
	a := b.Do("POST", "/v1.0/vims", map[string]any{"vim": vim})
	require.Equal(t, "InvalidInput", a.TackerType(http.StatusBadRequest))
	require.Contains(t, string(a.Body), "$.vim.auth_cred.pasword: is unknown; did you mean password?")
	require.Contains(t, string(a.Body), "$.vim.extra.ssh_prt: is unknown; did you mean ssh_port?")
	require.NotContains(t, string(a.Body), servertest.Marker)
	require.Empty(t, b.Vims.Seen)
	id := b.RegisterVim("lab", true)
	a = b.Do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"extra": map[string]any{"ssh_port": "abc"}}})
	require.Equal(t, "InvalidInput", a.TackerType(http.StatusBadRequest))
	require.Len(t, b.Vims.Seen, 1, "only the registration was tried")
	a = b.Do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"description": "new", "is_defalt": true}})
	require.Equal(t, "InvalidInput", a.TackerType(http.StatusBadRequest))
	require.Contains(t, string(a.Body), "$.vim.is_defalt: is unknown; did you mean is_default?")
	b.Do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"description": "new", "type": "openstack"}}).
		Want(http.StatusOK)
}

func TestVimRegionIsTriedShownAndChanged(t *testing.T) {
	b := servertest.New(t)
	regions := func(a servertest.Answer) any {
		return a.Want(http.StatusOK)["vim"].(map[string]any)["placement_attr"].(map[string]any)["regions"]
	}
	vim := map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
		"extra":     map[string]any{"region": "north", "token": servertest.Marker},
		"auth_cred": map[string]any{"username": "nfv", "password": servertest.Marker},
	}
	made := b.Do("POST", "/v1.0/vims", map[string]any{"vim": vim}).Want(http.StatusCreated)["vim"].(map[string]any)
	path := "/v1.0/vims/" + made["id"].(string)
	require.Equal(t, "north", b.Vims.Extras[0]["region"], "the catalog is tried with it")
	require.Equal(t, []any{"north"}, regions(b.Do("GET", path, nil)))

	put := func(change map[string]any) servertest.Answer { return b.Do("PUT", path, map[string]any{"vim": change}) }
	b.Vims.Refuse = lcm.Errorf(lcm.KindInvalid,
		"The catalog of VIM lab has no compute (Nova) endpoint in region \"south\".")
	require.Equal(t, "InvalidInput", put(map[string]any{"extra": map[string]any{"region": "south"}}).
		TackerType(http.StatusBadRequest))
	require.Equal(t, []any{"north"}, regions(b.Do("GET", path, nil)))
	b.Vims.Refuse = nil
	require.Equal(t, []any{"south"}, regions(put(map[string]any{"extra": map[string]any{"region": "south"}})))
	require.Equal(t, []any{"west"}, regions(put(map[string]any{"auth_cred": map[string]any{"region": "west"}})),
		"that of the credentials goes first")
	tried := len(b.Vims.Seen)
	put(map[string]any{"extra": map[string]any{"region": "south", "note": "x"}}).Want(http.StatusOK)
	require.Len(t, b.Vims.Seen, tried, "what leads nowhere else is not tried")
	require.Len(t, b.Sealed(), 1, "the password")
}

// TestVimHasTheRegionsThatItWasFoundToHave checks the regions of a VIM, which Tacker's client shows as placement
// attributes.
func TestVimHasTheRegionsThatItWasFoundToHave(t *testing.T) {
	b := servertest.New(t)
	b.Vims.Regions = []string{"RegionOne", "RegionTwo"}
	regions := func(a servertest.Answer) any {
		return a.Want(http.StatusOK)["vim"].(map[string]any)["placement_attr"].(map[string]any)["regions"]
	}
	path := "/v1.0/vims/" + b.RegisterVim("lab", false)
	require.Equal(t, []any{"RegionOne", "RegionTwo"}, regions(b.Do("GET", path, nil)))
	listed := b.Do("GET", "/v1.0/vims", nil).Want(http.StatusOK)["vims"].([]any)
	require.Equal(t, map[string]any{"regions": []any{"RegionOne", "RegionTwo"}},
		listed[0].(map[string]any)["placement_attr"])

	b.Vims.Regions = []string{"RegionThree"}
	put := func(change map[string]any) servertest.Answer { return b.Do("PUT", path, map[string]any{"vim": change}) }
	require.Equal(t, []any{"RegionOne", "RegionTwo"}, regions(put(map[string]any{"description": "not tried"})))
	require.Equal(
		t,
		[]any{"RegionThree"},
		regions(put(map[string]any{"auth_cred": map[string]any{"password": servertest.Marker}})),
	)
	require.Empty(t, b.Vims.Tried.Regions, "former regions choose none when the VIM is tried anew")
}

func TestVimRequestReportsEveryMistake(t *testing.T) {
	b := servertest.New(t)
	a := b.Do("POST", "/v1.0/vims", `{"vim":{"type":"vmware","auth_url":7,"auth_cred":[]}}`)
	require.Equal(t, "InvalidInput", a.TackerType(http.StatusBadRequest))
	for _, path := range []string{"$.vim.type", "$.vim.name", "$.vim.auth_url", "$.vim.auth_cred"} {
		require.Contains(t, string(a.Body), path)
	}
	b.Do("PATCH", "/v1.0/vims", nil).TackerType(http.StatusMethodNotAllowed)
}

func TestVimThatWasChangedMeanwhileKeepsThatChange(t *testing.T) {
	b := servertest.New(t)
	id := b.RegisterVim("lab", true)
	put := func(change map[string]any) servertest.Answer {
		return b.Do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": change})
	}
	put(map[string]any{"extra": map[string]any{"token": servertest.Marker + "-1"}}).Want(http.StatusOK)
	b.Vims.Meanwhile = func() {
		put(map[string]any{
			"auth_cred": map[string]any{"password": servertest.Marker + "-new"},
			"extra":     map[string]any{"token": servertest.Marker + "-2"},
		}).Want(http.StatusOK)
	}
	late := put(map[string]any{
		"name": "late", "auth_cred": map[string]any{"password": servertest.Marker + "-late"},
		"extra": map[string]any{"token": servertest.Marker + "-3"},
	})
	require.Equal(t, "Conflict", late.TackerType(http.StatusConflict))
	require.Contains(t, string(late.Body), "read it again")

	vim, err := b.Store.Vim(t.Context(), lcm.VimID(id))
	require.NoError(t, err)
	require.Equal(t, "lab", vim.Name)
	require.ElementsMatch(t, servertest.SecretsOf(vim), b.Sealed(), "nothing is lost, nothing is left")
	for i, want := range []string{servertest.Marker + "-new", servertest.Marker + "-2"} {
		got, err := b.Vault.Get(t.Context(), servertest.SecretsOf(vim)[i])
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestVimIsKeptFromTheBeginningOfAnInstantiation(t *testing.T) {
	for name, change := range map[string]func(request map[string]any, id string){
		"named in the request": func(request map[string]any, id string) {
			request["vimConnectionInfo"] = []any{map[string]any{"id": "vim1", "vimId": strings.ToUpper(id)}}
		},
		"the default": func(request map[string]any, _ string) { delete(request, "vimConnectionInfo") },
	} {
		t.Run(name, func(t *testing.T) {
			b := servertest.New(t)
			instance, request := b.Ready("/vnflcm/v1")
			vim, err := b.Store.DefaultVim(lcm.InProject(t.Context(), lcm.DefaultProject))
			require.NoError(t, err)
			change(request, string(vim.ID))
			a := b.Do("POST", instance+"/instantiate", request)
			a.Want(http.StatusAccepted)
			b.Enter(a.Path(), lcm.Processing)
			b.Enter(a.Path(), lcm.FailedTemp)

			refused := b.Do("DELETE", "/v1.0/vims/"+string(vim.ID), nil)
			require.Equal(t, "Conflict", refused.TackerType(http.StatusConflict))
			require.Contains(t, string(refused.Body), instance[strings.LastIndexByte(instance, '/')+1:])
			shown := b.Do("GET", instance, nil).Want(http.StatusOK)["vimConnectionInfo"].([]any)[0].(map[string]any)
			require.Equal(t, string(vim.ID), shown["vimId"])
			require.Equal(t, "openstack", shown["vimType"])

			b.Enter(a.Path(), lcm.Failed)
			b.Do("PUT", "/v1.0/vims/"+string(vim.ID),
				map[string]any{"vim": map[string]any{"is_default": false}}).Want(http.StatusOK)
			delete(request, "vimConnectionInfo")
			b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
			again, err := b.Store.Instance(t.Context(), b.Operation(a.Path()).VnfInstanceID)
			require.NoError(t, err)
			require.Len(t, again.VimConnections, 1, "a later attempt goes where the first may have left something")
			require.Equal(t, vim.ID, again.VimConnections[0].VimID)
		})
	}
}

// TestVimQuotas_comeFromTheVIM also checks that readers cannot lock the account of a VIM that refuses the password.
func TestVimQuotas_comeFromTheVIM(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	b.Client = servertest.As("edge", "vim:v1:all")
	id := b.RegisterVim("north", false)
	path := "/windlass/v1/vims/" + id + "/quotas"
	for range 2 {
		require.Equal(
			t,
			[]map[string]any{{"resource": "servers", "limit": "10", "used": "3"}, {"resource": "cores", "used": "7"}},
			b.Do("GET", path, nil).List(),
		)
	}
	require.Equal(t, 1, b.Vims.Asked)
	b.Do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"description": "changed"}}).Want(http.StatusOK)
	b.Vims.Refuse = lcm.Errorf(lcm.KindDenied, "Keystone refused the credentials.")
	for range 2 {
		require.Contains(
			t,
			b.Do("GET", path, nil).Problem(http.StatusServiceUnavailable),
			"Keystone refused the credentials.",
		)
	}
	require.Equal(t, 2, b.Vims.Asked)
	b.Do("GET", path, nil, servertest.As("edge", "vnflcm:v2:readonly")).Problem(http.StatusForbidden)
	b.Do("GET", path, nil, servertest.As("core", "vim:v1:readonly")).Problem(http.StatusNotFound)
}
