package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumetypes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/roles"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/users"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/qos/policies"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/qos/rules"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"
)

// of returns a client of a service, with the login of a user.
func (b *bench) of(user, password, project string,
	make func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error),
) *gophercloud.ServiceClient {
	b.t.Helper()
	p, err := b.provider(user, password, project)
	require.NoError(b.t, err)
	sc, err := make(p, gophercloud.EndpointOpts{Region: "RegionOne"})
	require.NoError(b.t, err)
	return sc
}

func (b *bench) asAdmin(
	make func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error),
) *gophercloud.ServiceClient {
	b.t.Helper()
	return b.of("admin", adminPassword, "demo", make)
}

// requireCode checks the status in an error.
func requireCode(t *testing.T, code int, err error) {
	t.Helper()
	require.Error(t, err)
	require.True(t, gophercloud.ResponseCodeIs(err, code), "%v", err)
}

func TestFlavors_areMadeByAdministratorsOnly(t *testing.T) {
	b := newBench(t)
	admin, demo := b.asAdmin(client.NewComputeV2), b.nova()
	opts := flavors.CreateOpts{Name: "tiny", RAM: 256, VCPUs: 1, Disk: new(3)}
	_, err := flavors.Create(t.Context(), demo, opts).Extract()
	requireCode(t, http.StatusForbidden, err)
	f, err := flavors.Create(t.Context(), admin, opts).Extract()
	require.NoError(t, err)
	_, err = flavors.Create(t.Context(), admin, opts).Extract()
	requireCode(t, http.StatusConflict, err)
	_, err = flavors.Create(t.Context(), admin, flavors.CreateOpts{Name: "none", RAM: 256, Disk: new(3)}).Extract()
	requireCode(t, http.StatusBadRequest, err)

	specs, err := flavors.CreateExtraSpecs(t.Context(), admin, f.ID,
		flavors.ExtraSpecsOpts{"hw:cpu_policy": "dedicated"}).Extract()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"hw:cpu_policy": "dedicated"}, specs)
	seen, err := flavors.Get(t.Context(), demo, f.ID).Extract()
	require.NoError(t, err)
	require.Equal(t, []int{256, 1, 3}, []int{seen.RAM, seen.VCPUs, seen.Disk})
	require.NoError(t, flavors.Delete(t.Context(), admin, f.ID).ExtractErr())
	_, err = flavors.Get(t.Context(), demo, f.ID).Extract()
	requireCode(t, http.StatusNotFound, err)
}

func TestFlavors_thatArePrivateAreForTheirProjects(t *testing.T) {
	b := newBench(t)
	admin, demo := b.asAdmin(client.NewComputeV2), b.nova()
	f, err := flavors.Create(t.Context(), admin, flavors.CreateOpts{
		Name: "hidden", RAM: 256, VCPUs: 1, Disk: new(0), IsPublic: new(false),
	}).Extract()
	require.NoError(t, err)
	_, err = flavors.Get(t.Context(), demo, f.ID).Extract()
	requireCode(t, http.StatusNotFound, err)
	access := flavors.AddAccessOpts{Tenant: b.demoProject()}
	_, err = flavors.AddAccess(t.Context(), admin, f.ID, access).Extract()
	require.NoError(t, err)
	_, err = flavors.AddAccess(t.Context(), admin, f.ID, access).Extract()
	requireCode(t, http.StatusConflict, err)
	_, err = flavors.Get(t.Context(), demo, f.ID).Extract()
	require.NoError(t, err)
}

func TestVolumeTypes_inUseStay(t *testing.T) {
	b := newBench(t)
	admin, demo := b.asAdmin(client.NewBlockStorageV3), b.service(client.NewBlockStorageV3)
	_, err := volumetypes.Create(t.Context(), demo, volumetypes.CreateOpts{Name: "fast"}).Extract()
	requireCode(t, http.StatusForbidden, err)
	vt, err := volumetypes.Create(t.Context(), admin,
		volumetypes.CreateOpts{Name: "fast", ExtraSpecs: map[string]string{"volume_backend_name": "ssd"}}).Extract()
	require.NoError(t, err)
	require.Equal(t, "ssd", vt.ExtraSpecs["volume_backend_name"])
	_, err = volumetypes.Create(t.Context(), admin, volumetypes.CreateOpts{Name: "fast"}).Extract()
	requireCode(t, http.StatusConflict, err)

	volume := map[string]any{"volume": map[string]any{"size": 1, "volume_type": vt.ID}}
	var made struct {
		Volume struct{ ID, VolumeType string }
	}
	_, err = demo.Post(t.Context(), demo.ServiceURL("volumes"), volume, &made, nil)
	require.NoError(t, err)
	requireCode(t, http.StatusBadRequest, volumetypes.Delete(t.Context(), admin, vt.ID).ExtractErr())
	_, err = demo.Delete(t.Context(), demo.ServiceURL("volumes", made.Volume.ID), nil)
	require.NoError(t, err)
	require.NoError(t, volumetypes.Delete(t.Context(), admin, vt.ID).ExtractErr())
	_, err = demo.Post(t.Context(), demo.ServiceURL("volumes"), volume, nil, nil)
	requireCode(t, http.StatusNotFound, err)
}

func TestQoSPolicies_limitOnceForEachDirection(t *testing.T) {
	b := newBench(t)
	admin, demo := b.asAdmin(client.NewNetworkV2), b.neutron()
	_, err := policies.Create(t.Context(), demo, policies.CreateOpts{Name: "slow"}).Extract()
	requireCode(t, http.StatusForbidden, err)
	p, err := policies.Create(t.Context(), admin, policies.CreateOpts{Name: "slow", Shared: true}).Extract()
	require.NoError(t, err)
	rule, err := rules.CreateBandwidthLimitRule(t.Context(), admin, p.ID,
		rules.CreateBandwidthLimitRuleOpts{MaxKBps: 1000}).ExtractBandwidthLimitRule()
	require.NoError(t, err)
	require.Equal(t, "egress", rule.Direction)
	_, err = rules.CreateBandwidthLimitRule(t.Context(), admin, p.ID,
		rules.CreateBandwidthLimitRuleOpts{MaxKBps: 2000}).ExtractBandwidthLimitRule()
	requireCode(t, http.StatusConflict, err)

	network := map[string]any{"network": map[string]any{"name": "n", "qos_policy_id": p.ID}}
	var made struct {
		Network struct {
			ID     string `json:"id"`
			Policy string `json:"qos_policy_id"`
		} `json:"network"`
	}
	_, err = demo.Post(t.Context(), demo.ServiceURL("networks"), network, &made, nil)
	require.NoError(t, err)
	require.Equal(t, p.ID, made.Network.Policy)
	requireCode(t, http.StatusConflict, policies.Delete(t.Context(), admin, p.ID).ExtractErr())
	_, err = demo.Put(t.Context(), demo.ServiceURL("networks", made.Network.ID),
		map[string]any{"network": map[string]any{"qos_policy_id": "unknown"}}, nil, nil)
	requireCode(t, http.StatusNotFound, err)
	_, err = demo.Delete(t.Context(), demo.ServiceURL("networks", made.Network.ID), nil)
	require.NoError(t, err)
	require.NoError(t, policies.Delete(t.Context(), admin, p.ID).ExtractErr())
	b.requireEmpty()
}

func TestUsers_haveTheRolesThatTheyAreGiven(t *testing.T) {
	b := newBench(t)
	admin := b.asAdmin(client.NewIdentityV3)
	demo := b.service(client.NewIdentityV3)
	_, err := users.Create(t.Context(), demo, users.CreateOpts{Name: "nfv", Password: "nfv-secret"}).Extract()
	requireCode(t, http.StatusForbidden, err)
	u, err := users.Create(t.Context(), admin, users.CreateOpts{Name: "nfv", Password: "nfv-secret"}).Extract()
	require.NoError(t, err)
	_, err = users.Create(t.Context(), admin, users.CreateOpts{Name: "nfv"}).Extract()
	requireCode(t, http.StatusConflict, err)
	p, err := projects.Create(t.Context(), admin, projects.CreateOpts{Name: "nfv-project"}).Extract()
	require.NoError(t, err)

	_, err = b.provider("nfv", "nfv-secret", "nfv-project")
	requireCode(t, http.StatusUnauthorized, err)
	pages, err := roles.List(admin, roles.ListOpts{Name: "member"}).AllPages(t.Context())
	require.NoError(t, err)
	found, err := roles.ExtractRoles(pages)
	require.NoError(t, err)
	require.Len(t, found, 1)
	assignment := roles.AssignOpts{UserID: u.ID, ProjectID: p.ID}
	require.NoError(t, roles.Assign(t.Context(), admin, found[0].ID, assignment).ExtractErr())
	login, err := b.provider("nfv", "nfv-secret", "nfv-project")
	require.NoError(t, err)
	require.Equal(t, p.ID, b.ownProjects(login.Token())[0])

	require.NoError(t, roles.Unassign(t.Context(), admin, found[0].ID, roles.UnassignOpts(assignment)).ExtractErr())
	code, _ := b.raw("GET", "/compute/v2.1/flavors", login.Token(), nil)
	require.Equal(t, http.StatusUnauthorized, code, "the token has gone with the role")
	require.NoError(t, projects.Delete(t.Context(), admin, p.ID).ExtractErr())
	require.NoError(t, users.Delete(t.Context(), admin, u.ID).ExtractErr())
	_, err = b.provider("nfv", "nfv-secret", "demo")
	requireCode(t, http.StatusUnauthorized, err)
}

func (b *bench) ownProjects(token string) (ids []string) {
	b.t.Helper()
	_, out := b.raw("GET", "/identity/v3/auth/projects", token, nil)
	for _, p := range out["projects"].([]any) {
		ids = append(ids, p.(map[string]any)["id"].(string))
	}
	return ids
}

func TestUsers_thatAreDisabledAreOut(t *testing.T) {
	b := newBench(t)
	admin := b.asAdmin(client.NewIdentityV3)
	u, err := users.Create(t.Context(), admin, users.CreateOpts{Name: "nfv", Password: "nfv-secret"}).Extract()
	require.NoError(t, err)
	_, err = b.provider("nfv", "nfv-secret", "")
	require.NoError(t, err)
	_, err = users.Update(t.Context(), admin, u.ID, users.UpdateOpts{Enabled: new(false)}).Extract()
	require.NoError(t, err)
	_, err = b.provider("nfv", "nfv-secret", "")
	requireCode(t, http.StatusUnauthorized, err)
	b.restart()
	_, err = b.provider("nfv", "nfv-secret", "")
	requireCode(t, http.StatusUnauthorized, err)
}

const sized = `heat_template_version: 2021-04-16
parameters:
  kbps: { type: number, default: 1000 }
  own: { type: boolean, default: true }
conditions:
  makes: { get_param: own }
resources:
  flavor:
    type: OS::Nova::Flavor
    condition: makes
    properties: { ram: 256, vcpus: 1, disk: 3, extra_specs: { "hw:cpu_policy": dedicated } }
  type:
    type: OS::Cinder::VolumeType
    condition: makes
    properties: { name: fast }
  volume:
    type: OS::Cinder::Volume
    properties: { size: 1, volume_type: { if: [ makes, { get_resource: type }, lab ] } }
  policy:
    type: OS::Neutron::QoSPolicy
    condition: makes
  rule:
    type: OS::Neutron::QoSBandwidthLimitRule
    condition: makes
    properties: { policy: { get_resource: policy }, max_kbps: { get_param: kbps } }
  net:
    type: OS::Neutron::Net
    properties: { qos_policy: { if: [ makes, { get_resource: policy } ] } }
  subnet:
    type: OS::Neutron::Subnet
    properties: { network: { get_resource: net }, cidr: 10.9.0.0/24 }
  port:
    type: OS::Neutron::Port
    properties: { network: { get_resource: net } }
  server:
    type: OS::Nova::Server
    properties:
      image: debian-12-k8s
      flavor: { if: [ makes, { get_resource: flavor }, m1.small ] }
      networks: [ { port: { get_resource: port } } ]
outputs:
  policy: { value: { get_attr: [ net, qos_policy_id ] } }
  limit: { value: { get_attr: [ rule, show, max_kbps ] } }
  type: { value: { get_attr: [ volume, volume_type ] } }
`

func TestStack_makesFlavorsTypesAndPoliciesForAdministrators(t *testing.T) {
	b := newBench(t)
	_, err := b.post(b.heat(), "sized", template(sized, nil), nil)
	requireCode(t, http.StatusForbidden, err)
	require.Contains(t, err.Error(), "You are not authorized to use OS::")

	sc := b.asAdmin(client.NewOrchestrationV1)
	id := b.create(sc, "sized", template(sized, nil), nil)
	st := b.await(sc, id, "CREATE_COMPLETE")
	require.Equal(t, "fast", outputOf(st, "type"))
	require.NotEmpty(t, outputOf(st, "policy"))
	require.InDelta(t, 1000, outputOf(st, "limit"), 0)
	b.patch(sc, st, map[string]any{"kbps": 2500})
	require.InDelta(t, 2500, outputOf(b.await(sc, id, "UPDATE_COMPLETE"), "limit"), 0)
	require.NoError(t, stacks.Delete(t.Context(), sc, st.Name, st.ID).ExtractErr())
	b.await(sc, id, "DELETE_COMPLETE")
	b.requireEmpty()
}

// TestStack_withoutThemIsForEverybody checks that a user needs no rights for resources that are not made because of
// their condition.
func TestStack_withoutThemIsForEverybody(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	id := b.create(sc, "plain", template(strings.Replace(sized,
		"  limit: { value: { get_attr: [ rule, show, max_kbps ] } }\n", "", 1), nil), map[string]any{"own": false})
	st := b.await(sc, id, "CREATE_COMPLETE")
	require.Equal(t, "lab", outputOf(st, "type"))
}

func TestStack_withAVolumeTypeThatIsNotThereIsRefused(t *testing.T) {
	b := newBench(t)
	_, err := b.post(b.heat(), "typed", template("heat_template_version: 2016-10-14\nresources:\n  v: { type: "+
		"OS::Cinder::Volume, properties: { size: 1, volume_type: gone } }\n", nil), nil)
	requireCode(t, http.StatusBadRequest, err)
	require.Contains(t, err.Error(), "The VolumeType (gone) could not be found.")
}

func outputOf(st *stacks.RetrievedStack, key string) any {
	for _, o := range st.Outputs {
		if o["output_key"] == key {
			return o["output_value"]
		}
	}
	return nil
}
