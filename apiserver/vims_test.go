package apiserver

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestVimIsRegisteredListedChangedAndDeleted(t *testing.T) {
	b := newBench(t)
	id := b.registerVim("lab", true)
	require.Equal(t, marker+"-vim", b.vims.seen[0]["password"], "the checker gets the credentials in clear")

	vim := b.do("GET", "/v1.0/vims/"+id+".json", nil).want(http.StatusOK)["vim"].(map[string]any)
	require.Equal(t, map[string]any{"username": "nfv", "password": "***", "user_domain_name": "Default"}, vim["auth_cred"])
	require.Equal(t, "REACHABLE", vim["status"])
	require.Equal(t, map[string]any{"name": "nfv", "project_domain_name": "Default"}, vim["vim_project"])

	found := b.do("GET", "/v1.0/vims.json?name=lab&fields=id", nil).want(http.StatusOK)
	require.Equal(t, []any{map[string]any{"id": id}}, found["vims"])
	require.Empty(t, b.do("GET", "/v1.0/vims?name=other", nil).want(http.StatusOK)["vims"])
	require.Len(t, b.do("GET", "/v1.0/vims?is_default=True", nil).want(http.StatusOK)["vims"], 1)
	for filter, want := range map[string]int{
		"(eq,type,openstack)": 1, "(cont,auth_url,192.0.2);(eq,is_default,true)": 1, "(eq,vim_project/name,other)": 0,
		"(in,status,UNREACHABLE,PENDING)": 0, "(cont,auth_cred/password,$)": 0,
	} {
		path := "/v1.0/vims?filter=" + url.QueryEscape(filter)
		require.Len(t, b.do("GET", path, nil).want(http.StatusOK)["vims"], want, filter)
	}
	for _, query := range []string{
		"color=red", "filter=(eq,color,red)", "filter=red", "filter=", "filter=(eq,name,a)&filter=(eq,name,b)",
	} {
		require.Equal(t, http.StatusBadRequest, b.do("GET", "/v1.0/vims?"+query, nil).Status, query)
	}

	vim = b.do("PUT", "/v1.0/vims/"+id+".json", map[string]any{"vim": map[string]any{
		"description": "north", "auth_cred": map[string]any{"password": marker + "-new"},
	}}).want(http.StatusOK)["vim"].(map[string]any)
	require.Equal(t, "north", vim["description"])
	require.Equal(t, "nfv", vim["auth_cred"].(map[string]any)["username"], "what is not given stays")
	require.Equal(t, marker+"-new", b.vims.seen[1]["password"])
	require.Len(t, sealed(b), 1, "the old password is deleted")

	b.do("DELETE", "/v1.0/vims/"+id, nil).want(http.StatusNoContent)
	require.Empty(t, sealed(b))
	require.Equal(t, "NotFound", tackerType(b.do("GET", "/v1.0/vims/"+id, nil), http.StatusNotFound))
	require.Equal(t, "NotFound", tackerType(b.do("GET", "/v1.0/vims/nothing.json", nil), http.StatusNotFound))
}

func TestVimThatCannotBeUsedIsNotRegistered(t *testing.T) {
	b := newBench(t)
	vim := map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
		"auth_cred": map[string]any{"username": "nfv", "password": marker},
	}
	b.vims.refuse = lcm.Errorf(lcm.KindDenied, "The VIM refuses the user nfv or its password.")
	require.Equal(t, "VimUnauthorizedException", tackerType(b.do("POST", "/v1.0/vims", map[string]any{"vim": vim}),
		http.StatusBadRequest))
	b.vims.refuse = lcm.Errorf(lcm.KindUnavailable, "The VIM at 192.0.2.5 does not answer.")
	require.Equal(t, "VimConnectionException", tackerType(b.do("POST", "/v1.0/vims", map[string]any{"vim": vim}),
		http.StatusServiceUnavailable))
	require.Empty(t, sealed(b))

	b.vims.refuse = nil
	b.do("POST", "/v1.0/vims.json", map[string]any{"vim": vim}).want(http.StatusCreated)
	require.Equal(t, "Conflict", tackerType(b.do("POST", "/v1.0/vims", map[string]any{"vim": vim}), http.StatusConflict))
	require.Len(t, sealed(b), 1, "what was sealed for the refused one is deleted")
}

func TestVimWithMisspeltMembersIsRefusedBeforeItIsTried(t *testing.T) {
	b := newBench(t)
	vim := map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
		"auth_cred": map[string]any{"username": "nfv", "pasword": marker}, "extra": map[string]any{"ssh_prt": "2222"},
	}
	a := b.do("POST", "/v1.0/vims", map[string]any{"vim": vim})
	require.Equal(t, "InvalidInput", tackerType(a, http.StatusBadRequest))
	require.Contains(t, string(a.Body), "$.vim.auth_cred.pasword: is unknown; did you mean password?")
	require.Contains(t, string(a.Body), "$.vim.extra.ssh_prt: is unknown; did you mean ssh_port?")
	require.NotContains(t, string(a.Body), marker)
	require.Empty(t, b.vims.seen)
	id := b.registerVim("lab", true)
	a = b.do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"extra": map[string]any{"ssh_port": "abc"}}})
	require.Equal(t, "InvalidInput", tackerType(a, http.StatusBadRequest))
	require.Len(t, b.vims.seen, 1, "only the registration was tried")
	a = b.do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"description": "new", "is_defalt": true}})
	require.Equal(t, "InvalidInput", tackerType(a, http.StatusBadRequest))
	require.Contains(t, string(a.Body), "$.vim.is_defalt: is unknown; did you mean is_default?")
	b.do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"description": "new", "type": "openstack"}}).
		want(http.StatusOK)
}

func TestVimRegionIsTriedShownAndChanged(t *testing.T) {
	b := newBench(t)
	regions := func(a answer) any {
		return a.want(http.StatusOK)["vim"].(map[string]any)["placement_attr"].(map[string]any)["regions"]
	}
	vim := map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
		"extra":     map[string]any{"region": "north", "token": marker},
		"auth_cred": map[string]any{"username": "nfv", "password": marker},
	}
	made := b.do("POST", "/v1.0/vims", map[string]any{"vim": vim}).want(http.StatusCreated)["vim"].(map[string]any)
	path := "/v1.0/vims/" + made["id"].(string)
	require.Equal(t, "north", b.vims.extras[0]["region"], "the catalog is tried with it")
	require.Equal(t, []any{"north"}, regions(b.do("GET", path, nil)))

	put := func(change map[string]any) answer { return b.do("PUT", path, map[string]any{"vim": change}) }
	b.vims.refuse = lcm.Errorf(lcm.KindInvalid,
		"The catalog of VIM lab has no compute (Nova) endpoint in region \"south\".")
	require.Equal(t, "InvalidInput", tackerType(put(map[string]any{"extra": map[string]any{"region": "south"}}),
		http.StatusBadRequest))
	require.Equal(t, []any{"north"}, regions(b.do("GET", path, nil)))
	b.vims.refuse = nil
	require.Equal(t, []any{"south"}, regions(put(map[string]any{"extra": map[string]any{"region": "south"}})))
	require.Equal(t, []any{"west"}, regions(put(map[string]any{"auth_cred": map[string]any{"region": "west"}})),
		"that of the credentials goes first")
	tried := len(b.vims.seen)
	put(map[string]any{"extra": map[string]any{"region": "south", "note": "x"}}).want(http.StatusOK)
	require.Len(t, b.vims.seen, tried, "what leads nowhere else is not tried")
	require.Len(t, sealed(b), 1, "the password")
}

// TestVimHasTheRegionsThatItWasFoundToHave checks the regions of a VIM, which Tacker's client shows as placement
// attributes.
func TestVimHasTheRegionsThatItWasFoundToHave(t *testing.T) {
	b := newBench(t)
	b.vims.regions = []string{"RegionOne", "RegionTwo"}
	regions := func(a answer) any {
		return a.want(http.StatusOK)["vim"].(map[string]any)["placement_attr"].(map[string]any)["regions"]
	}
	path := "/v1.0/vims/" + b.registerVim("lab", false)
	require.Equal(t, []any{"RegionOne", "RegionTwo"}, regions(b.do("GET", path, nil)))
	listed := b.do("GET", "/v1.0/vims", nil).want(http.StatusOK)["vims"].([]any)
	require.Equal(t, map[string]any{"regions": []any{"RegionOne", "RegionTwo"}},
		listed[0].(map[string]any)["placement_attr"])

	b.vims.regions = []string{"RegionThree"}
	put := func(change map[string]any) answer { return b.do("PUT", path, map[string]any{"vim": change}) }
	require.Equal(t, []any{"RegionOne", "RegionTwo"}, regions(put(map[string]any{"description": "not tried"})))
	require.Equal(t, []any{"RegionThree"}, regions(put(map[string]any{"auth_cred": map[string]any{"password": marker}})))
	require.Empty(t, b.vims.tried.Regions, "former regions choose none when the VIM is tried anew")
}

func TestVimRequestReportsEveryMistake(t *testing.T) {
	b := newBench(t)
	a := b.do("POST", "/v1.0/vims", `{"vim":{"type":"vmware","auth_url":7,"auth_cred":[]}}`)
	require.Equal(t, "InvalidInput", tackerType(a, http.StatusBadRequest))
	for _, path := range []string{"$.vim.type", "$.vim.name", "$.vim.auth_url", "$.vim.auth_cred"} {
		require.Contains(t, string(a.Body), path)
	}
	tackerType(b.do("PATCH", "/v1.0/vims", nil), http.StatusMethodNotAllowed)
}

func TestVimThatWasChangedMeanwhileKeepsThatChange(t *testing.T) {
	b := newBench(t)
	id := b.registerVim("lab", true)
	put := func(change map[string]any) answer {
		return b.do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": change})
	}
	put(map[string]any{"extra": map[string]any{"token": marker + "-1"}}).want(http.StatusOK)
	b.vims.meanwhile = func() {
		put(map[string]any{
			"auth_cred": map[string]any{"password": marker + "-new"},
			"extra":     map[string]any{"token": marker + "-2"},
		}).want(http.StatusOK)
	}
	late := put(map[string]any{
		"name": "late", "auth_cred": map[string]any{"password": marker + "-late"},
		"extra": map[string]any{"token": marker + "-3"},
	})
	require.Equal(t, "Conflict", tackerType(late, http.StatusConflict))
	require.Contains(t, string(late.Body), "read it again")

	vim, err := b.store.Vim(t.Context(), lcm.VimID(id))
	require.NoError(t, err)
	require.Equal(t, "lab", vim.Name)
	require.ElementsMatch(t, secretsOf(vim), sealed(b), "nothing is lost, nothing is left")
	for i, want := range []string{marker + "-new", marker + "-2"} {
		got, err := b.vault.Get(t.Context(), secretsOf(vim)[i])
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
			b := newBench(t)
			instance, request := b.ready("/vnflcm/v1")
			vim, err := b.store.DefaultVim(lcm.InProject(t.Context(), lcm.DefaultProject))
			require.NoError(t, err)
			change(request, string(vim.ID))
			a := b.do("POST", instance+"/instantiate", request)
			a.want(http.StatusAccepted)
			b.enter(a.path(), lcm.Processing)
			b.enter(a.path(), lcm.FailedTemp)

			refused := b.do("DELETE", "/v1.0/vims/"+string(vim.ID), nil)
			require.Equal(t, "Conflict", tackerType(refused, http.StatusConflict))
			require.Contains(t, string(refused.Body), instance[strings.LastIndexByte(instance, '/')+1:])
			shown := b.do("GET", instance, nil).want(http.StatusOK)["vimConnectionInfo"].([]any)[0].(map[string]any)
			require.Equal(t, string(vim.ID), shown["vimId"])
			require.Equal(t, "openstack", shown["vimType"])

			b.enter(a.path(), lcm.Failed)
			b.do("PUT", "/v1.0/vims/"+string(vim.ID),
				map[string]any{"vim": map[string]any{"is_default": false}}).want(http.StatusOK)
			delete(request, "vimConnectionInfo")
			b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
			again, err := b.store.Instance(t.Context(), b.operation(a.path()).VnfInstanceID)
			require.NoError(t, err)
			require.Len(t, again.VimConnections, 1, "a later attempt goes where the first may have left something")
			require.Equal(t, vim.ID, again.VimConnections[0].VimID)
		})
	}
}

// tackerType checks that the answer is an error as Tacker's client reads it, and returns its type.
func tackerType(a answer, status int) string {
	a.t.Helper()
	a.want(status)
	var doc struct {
		TackerError struct{ Type, Message, Detail string }
		Type        string
	}
	require.NoError(a.t, json.Unmarshal(a.Body, &doc))
	require.NotEmpty(a.t, doc.TackerError.Message)
	require.Contains(a.t, doc.Type, "/docs/troubleshooting.md#")
	require.Equal(a.t, "Read what such errors mean: "+endpoint+doc.Type, doc.TackerError.Detail, "Tacker's client prints it")
	return doc.TackerError.Type
}

// secretsOf lists the references of a VIM's secrets.
func secretsOf(vim lcm.Vim) []lcm.SecretRef {
	return slices.Concat(rest.References(vim.AuthCred), rest.References(vim.Extra))
}

// sealed lists the references of all stored secrets.
func sealed(b *bench) []lcm.SecretRef {
	b.Helper()
	var refs []lcm.SecretRef
	for s, err := range b.store.AllSealed(b.Context()) {
		require.NoError(b, err)
		refs = append(refs, s.Ref)
	}
	return refs
}

// TestVimQuotas_comeFromTheVIM also checks that readers cannot lock the account of a VIM that refuses the password.
func TestVimQuotas_comeFromTheVIM(t *testing.T) {
	b := newBench(t, withAuth)
	b.client = as("edge", "vim:v1:all")
	id := b.registerVim("north", false)
	path := "/windlass/v1/vims/" + id + "/quotas"
	for range 2 {
		require.Equal(t, []map[string]any{{"resource": "servers", "limit": "10", "used": "3"}, {"resource": "cores", "used": "7"}},
			b.do("GET", path, nil).list())
	}
	require.Equal(t, 1, b.vims.asked)
	b.do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"description": "changed"}}).want(http.StatusOK)
	b.vims.refuse = lcm.Errorf(lcm.KindDenied, "Keystone refused the credentials.")
	for range 2 {
		require.Contains(t, b.do("GET", path, nil).problem(http.StatusServiceUnavailable), "Keystone refused the credentials.")
	}
	require.Equal(t, 2, b.vims.asked)
	b.do("GET", path, nil, as("edge", "vnflcm:v2:readonly")).problem(http.StatusForbidden)
	b.do("GET", path, nil, as("core", "vim:v1:readonly")).problem(http.StatusNotFound)
}
