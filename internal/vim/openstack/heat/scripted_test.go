package heat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/onboard"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestMain(m *testing.M) {
	if userdata.IsChild() {
		fmt.Fprintln(os.Stderr, userdata.Confine())
		os.Exit(1)
	}
	os.Exit(pgtest.Run(m))
}

// ownUserData computes the parameters for the package of one server, and reads a secret of the request.
const ownUserData = `import tacker.vnfm.lcm_user_data.utils as UserDataUtil
from tacker.vnfm.lcm_user_data.abstract_user_data import AbstractUserData


class OwnUserData(AbstractUserData):
    @staticmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        if 'fail' in inst_req_info.additional_params:
            raise ValueError('not with ' + inst_req_info.additional_params['password'])
        initial = UserDataUtil.create_initial_param_dict(base_hot_dict)
        return UserDataUtil.create_final_param_dict(
            initial, UserDataUtil.create_vdu_flavor_capability_name_dict(vnfd_dict),
            UserDataUtil.create_sw_image_dict(vnfd_dict), UserDataUtil.create_network_dict(inst_req_info, initial))
`

// scriptedJob returns an instantiation of the package of one server by a user data class of the package.
func scriptedJob(t *testing.T, o *Definer, params map[string]any) *job {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../../../tests/programs/bench/server")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "UserData"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "UserData", "own.py"), []byte(ownUserData), 0o600))
	j := packageJob(t, o, dir)
	j.Request.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID: "l", ResourceID: "net-1", ExtCps: []lcm.ExtCp{{CpdID: "VDU1_CP1"}},
	}}
	j.with(t, o, params)
	return j
}

// packageJob onboards a package and returns its instantiation.
func packageJob(t *testing.T, o *Definer, dir string) *job {
	t.Helper()
	var archive bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &archive))
	id := lcm.VnfPkgID(uuid.NewString())
	require.NoError(t, o.Store.CreatePackage(lcm.InProject(t.Context(), lcm.DefaultProject),
		lcm.VnfPkg{ID: id, OnboardingState: lcm.PkgUploading, OperationalState: lcm.PkgDisabled}))
	pkg, err := o.Store.Package(t.Context(), id)
	require.NoError(t, err)
	require.NoError(t, (&onboard.Onboarder{Store: o.Store}).Take(t.Context(), &pkg, &archive))
	vnfd, err := o.ReadVnfd(t.Context(), id)
	require.NoError(t, err)
	j := &job{&operations.Operation{
		Instance: lcm.VnfInstance{ID: "i", VnfPkgID: id},
		OpOcc:    lcm.VnfLcmOpOcc{ID: "o", Operation: lcm.OpInstantiate}, Vnfd: vnfd,
	}}
	j.Flavour, err = vnfd.Flavour("simple")
	require.NoError(t, err)
	return j
}

// with sets other parameters of the instantiation.
func (j *job) with(t *testing.T, o *Definer, params map[string]any) {
	t.Helper()
	params[lcm.UserDataParam], params[lcm.UserDataClassParam] = "./UserData/own.py", "OwnUserData"
	doc, err := json.Marshal(params)
	require.NoError(t, err)
	j.Request.AdditionalParams, err = secrets.SealDocument(t.Context(), o.Vault,
		lcm.SecretRef("vnf/i/request/"+uuid.NewString()), doc)
	require.NoError(t, err)
}

// withVault returns a Definer on the database at url.
func withVault(t *testing.T, url string) *Definer {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	vault := secrets.NewVault(secretstest.Keyring(t), db)
	return &Definer{Resolver: &operations.Resolver{Store: db, Vault: vault}}
}

func (o *Definer) runScripts(t *testing.T) {
	t.Helper()
	o.UserData = &userdata.Runner{Python: "/usr/bin/python3"}
	if err := o.UserData.Check(t.Context()); lcm.Is(err, lcm.KindUnavailable) {
		t.Skip("User data classes are NOT tested: this host cannot run any. ", err)
	}
}

func TestHeat_asksTheUserDataClassOfThePackage(t *testing.T) {
	o := withVault(t, pgtest.URL(t))
	j := scriptedJob(t, o, map[string]any{"password": "hunter2-of-the-request"})
	one := shape{capacity: map[string]int{"VDU1": 1}}

	_, _, _, err := o.heat(t.Context(), j, one)
	require.True(t, lcm.Is(err, lcm.KindInvalid))
	require.ErrorContains(t, err, "userData.python")

	o.runScripts(t)
	for range 2 { // the same must result for every change of the stack
		template, parameters, _, err := o.heat(t.Context(), j, one)
		require.NoError(t, err)
		require.Contains(t, template.Top, "VDU1_CP1")
		require.Equal(t, map[string]any{"nfv": map[string]any{
			"VDU": map[string]any{"VDU1": map[string]any{"flavor": "m1.tiny", "image": "tiny"}},
			"CP":  map[string]any{"VDU1_CP1": map[string]any{"network": "net-1", "fixed_ips": []any{}}},
		}}, parameters)
	}

	j.with(t, o, map[string]any{"password": "hunter2-of-the-request", "fail": true})
	_, _, _, err = o.heat(t.Context(), j, one)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err, "UserData/own.py:9: ValueError: not with ***")
	require.NotContains(t, err.Error(), "hunter2")
}
