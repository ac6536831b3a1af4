package openstack_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/keypairs"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/imagedata"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
	"github.com/gophercloud/gophercloud/v2/openstack/utils"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

// network returns the id of the network with this name.
func (b *bench) network(sc *gophercloud.ServiceClient, name string) string {
	b.t.Helper()
	pages, err := networks.List(sc, networks.ListOpts{Name: name}).AllPages(b.t.Context())
	require.NoError(b.t, err)
	all, err := networks.ExtractNetworks(pages)
	require.NoError(b.t, err)
	require.Len(b.t, all, 1)
	return all[0].ID
}

func (b *bench) imageID(name string) string {
	b.t.Helper()
	pages, err := images.List(b.service(client.NewImageV2), images.ListOpts{Name: name}).AllPages(b.t.Context())
	require.NoError(b.t, err)
	all, err := images.ExtractImages(pages)
	require.NoError(b.t, err)
	require.Len(b.t, all, 1)
	return all[0].ID
}

func (b *bench) status(sc *gophercloud.ServiceClient, id, want string) *servers.Server {
	b.t.Helper()
	var s *servers.Server
	require.Eventually(b.t, func() bool {
		var err error
		s, err = servers.Get(b.t.Context(), sc, id).Extract()
		return err == nil && s.Status == want && s.TaskState == ""
	}, time.Minute, 10*time.Millisecond)
	return s
}

func (b *bench) boot(sc *gophercloud.ServiceClient, port string) *servers.Server {
	b.t.Helper()
	s, err := servers.Create(b.t.Context(), sc, servers.CreateOpts{
		Name: "Node 1", FlavorRef: "3", ImageRef: b.imageID("debian-12-k8s"), Networks: []servers.Network{{Port: port}},
		UserData: []byte("#!/bin/sh\n"), Metadata: map[string]string{"a": "b"}, AdminPass: "open sesame",
	}, nil).Extract()
	require.NoError(b.t, err)
	return b.status(sc, s.ID, "ACTIVE")
}

func (b *bench) newPort(nc *gophercloud.ServiceClient) *ports.Port {
	b.t.Helper()
	p, err := ports.Create(b.t.Context(), nc, ports.CreateOpts{NetworkID: b.network(nc, "net0"), Name: "p"}).Extract()
	require.NoError(b.t, err)
	return p
}

func TestServerFromBirthToDeath(t *testing.T) {
	b := newBench(t)
	nc, sc := b.neutron(), b.nova()
	p := b.newPort(nc)
	s := b.boot(sc, p.ID)
	require.Equal(t, "node-1", b.machines.names()[0])
	require.NotEmpty(t, s.HostID)
	require.Equal(t, p.FixedIPs[0].IPAddress, s.Addresses["net0"].([]any)[0].(map[string]any)["addr"])
	bound, err := ports.Get(t.Context(), nc, p.ID).Extract()
	require.NoError(t, err)
	require.Equal(t, []string{s.ID, "compute:nova", "ACTIVE"}, []string{bound.DeviceID, bound.DeviceOwner, bound.Status})

	// Neutron enforces address pairs at once.
	_, err = ports.Update(t.Context(), nc, p.ID,
		ports.UpdateOpts{AllowedAddressPairs: &[]ports.AddressPair{{IPAddress: "10.78.0.99"}}}).Extract()
	require.NoError(t, err)
	require.Equal(t, []string{"10.78.0.99"}, b.machines.port(p.ID).AllowedAddresses)

	require.NoError(t, servers.Stop(t.Context(), sc, s.ID).ExtractErr())
	b.status(sc, s.ID, "SHUTOFF")
	err = servers.Stop(t.Context(), sc, s.ID).ExtractErr()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusConflict))
	require.NoError(t, servers.Start(t.Context(), sc, s.ID).ExtractErr())
	b.status(sc, s.ID, "ACTIVE")
	require.NoError(t, servers.Reboot(t.Context(), sc, s.ID, servers.RebootOpts{Type: servers.HardReboot}).ExtractErr())
	b.status(sc, s.ID, "ACTIVE")
	out, err := servers.ShowConsoleOutput(t.Context(), sc, s.ID, servers.ShowConsoleOutputOpts{Length: 2}).Extract()
	require.NoError(t, err)
	require.Equal(t, "two\nthree\n", out)

	require.NoError(t, servers.Delete(t.Context(), sc, s.ID).ExtractErr())
	require.Eventually(t, func() bool {
		_, err := servers.Get(t.Context(), sc, s.ID).Extract()
		return gophercloud.ResponseCodeIs(err, http.StatusNotFound)
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, ports.Delete(t.Context(), nc, p.ID).ExtractErr())
	b.requireEmpty()
}

func TestDeletingAServerThatStillBoots(t *testing.T) {
	b := newBench(t)
	b.machines.hold = make(chan struct{})
	sc := b.nova()
	s, err := servers.Create(t.Context(), sc, servers.CreateOpts{
		Name: "n", FlavorRef: "1", ImageRef: b.imageID("debian-12-k8s"),
		Networks: []servers.Network{{UUID: b.network(b.neutron(), "net0")}},
	}, nil).Extract()
	require.NoError(t, err)
	require.NoError(t, servers.Delete(t.Context(), sc, s.ID).ExtractErr())
	require.Eventually(t, func() bool {
		_, err := servers.Get(t.Context(), sc, s.ID).Extract()
		return gophercloud.ResponseCodeIs(err, http.StatusNotFound)
	}, time.Minute, 10*time.Millisecond)
	b.requireEmpty()
}

func TestVolumeIsABlockDeviceOfItsServer(t *testing.T) {
	b := newBench(t)
	sc, vc := b.nova(), b.service(client.NewBlockStorageV3)
	s := b.boot(sc, b.newPort(b.neutron()).ID)
	v, err := volumes.Create(t.Context(), vc, volumes.CreateOpts{Size: 3, Name: "data"}, nil).Extract()
	require.NoError(t, err)
	a, err := volumeattach.Create(t.Context(), sc, s.ID, volumeattach.CreateOpts{VolumeID: v.ID}).Extract()
	require.NoError(t, err)
	require.Equal(t, "/dev/vdb", a.Device)
	v, err = volumes.Get(t.Context(), vc, v.ID).Extract()
	require.NoError(t, err)
	require.Equal(t, "in-use", v.Status)
	require.Equal(t, s.ID, v.Attachments[0].ServerID)
	err = volumes.Delete(t.Context(), vc, v.ID, nil).ExtractErr()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusBadRequest))

	b.restart() // attached volumes stay attached
	v, err = volumes.Get(t.Context(), vc, v.ID).Extract()
	require.NoError(t, err)
	require.Equal(t, "in-use", v.Status)
	require.NoError(t, volumeattach.Delete(t.Context(), sc, s.ID, v.ID).ExtractErr())
	require.NoError(t, volumes.Delete(t.Context(), vc, v.ID, nil).ExtractErr())

	_, err = volumes.Create(t.Context(), vc, volumes.CreateOpts{Size: 10000}, nil).Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusRequestEntityTooLarge), "%v", err)
	require.ErrorContains(t, err, "overLimit")
}

func TestOwnNetworkWithRouterAndFloatingIP(t *testing.T) {
	b := newBench(t)
	nc := b.neutron()
	n, err := networks.Create(t.Context(), nc, networks.CreateOpts{Name: "own"}).Extract()
	require.NoError(t, err)
	sub, err := subnets.Create(t.Context(), nc, subnets.CreateOpts{
		NetworkID: n.ID, CIDR: "10.78.7.0/24", IPVersion: 4,
	}).Extract()
	require.NoError(t, err)
	require.Equal(t, "10.78.7.1", sub.GatewayIP)
	require.False(t, b.machines.networks[n.ID].Gateway.IsValid(), "no router yet")
	p, err := ports.Create(t.Context(), nc, ports.CreateOpts{
		NetworkID: n.ID,
		FixedIPs:  []ports.IP{{SubnetID: sub.ID, IPAddress: "10.78.7.50"}},
	}).Extract()
	require.NoError(t, err)
	_, err = ports.Create(t.Context(), nc, ports.CreateOpts{
		NetworkID: n.ID,
		FixedIPs:  []ports.IP{{IPAddress: "10.78.7.50"}},
	}).Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusConflict))

	public := b.network(nc, "public")
	_, err = floatingips.Create(t.Context(), nc, floatingips.CreateOpts{FloatingNetworkID: public, PortID: p.ID}).Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusNotFound), "unreachable without a router: %v", err)
	rtr, err := routers.Create(t.Context(), nc, routers.CreateOpts{
		Name:        "r",
		GatewayInfo: &routers.GatewayInfo{NetworkID: public},
	}).Extract()
	require.NoError(t, err)
	_, err = routers.AddInterface(t.Context(), nc, rtr.ID, routers.AddInterfaceOpts{SubnetID: sub.ID}).Extract()
	require.NoError(t, err)
	require.Equal(t, "10.78.7.1", b.machines.networks[n.ID].Gateway.String())
	pages, err := floatingips.List(nc, floatingips.ListOpts{FloatingNetworkID: public}).AllPages(t.Context())
	require.NoError(t, err)
	left, err := floatingips.ExtractFloatingIPs(pages)
	require.NoError(t, err)
	require.Len(t, left, 1, "Neutron keeps the address that it could not associate")
	f, err := floatingips.Update(t.Context(), nc, left[0].ID, floatingips.UpdateOpts{PortID: &p.ID}).Extract()
	require.NoError(t, err)
	require.Equal(t, "10.78.7.50", f.FixedIP)
	require.Equal(t, machine.FloatingIP{ID: f.ID, Address: f.FloatingIP, FixedIP: "10.78.7.50", NetworkID: n.ID},
		b.machines.floating[f.ID])

	_, err = routers.RemoveInterface(t.Context(), nc, rtr.ID, routers.RemoveInterfaceOpts{SubnetID: sub.ID}).Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusConflict))
	err = networks.Delete(t.Context(), nc, n.ID).ExtractErr()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusConflict))
	require.NoError(t, floatingips.Delete(t.Context(), nc, f.ID).ExtractErr())
	require.NoError(t, ports.Delete(t.Context(), nc, p.ID).ExtractErr())
	_, err = routers.RemoveInterface(t.Context(), nc, rtr.ID, routers.RemoveInterfaceOpts{SubnetID: sub.ID}).Extract()
	require.NoError(t, err)
	require.NoError(t, routers.Delete(t.Context(), nc, rtr.ID).ExtractErr())
	require.NoError(t, networks.Delete(t.Context(), nc, n.ID).ExtractErr())
	b.requireEmpty()
	require.NotContains(t, b.machines.networks, n.ID)
}

func TestListsAreFilteredAsNeutronDoes(t *testing.T) {
	b := newBench(t)
	nc := b.neutron()
	first, second := b.newPort(nc), b.newPort(nc)
	pages, err := ports.List(nc, ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{IPAddress: second.FixedIPs[0].IPAddress}}}).AllPages(t.Context())
	require.NoError(t, err)
	all, err := ports.ExtractPorts(pages)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, second.ID, all[0].ID)
	code, _ := b.raw("PUT", "/networking/v2.0/ports/"+first.ID+"/tags", b.demo().Token(),
		strings.NewReader(`{"tags":["x","y"]}`))
	require.Equal(t, http.StatusOK, code)
	pages, err = ports.List(nc, ports.ListOpts{Tags: "x,y"}).AllPages(t.Context())
	require.NoError(t, err)
	all, err = ports.ExtractPorts(pages)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, first.ID, all[0].ID)
	_, err = groups.Create(t.Context(), nc, groups.CreateOpts{Name: "g"}).Extract()
	require.NoError(t, err)
}

func TestKeysGroupsImagesAndMicroversions(t *testing.T) {
	b := newBench(t)
	sc := b.nova()
	key, err := keypairs.Create(t.Context(), sc, keypairs.CreateOpts{Name: "k"}).Extract()
	require.NoError(t, err)
	require.Contains(t, key.PrivateKey, "OPENSSH PRIVATE KEY")
	_, err = keypairs.Create(t.Context(), sc, keypairs.CreateOpts{Name: "k"}).Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusConflict))
	mv, err := utils.GetSupportedMicroversions(t.Context(), sc)
	require.NoError(t, err)
	require.Equal(t, 96, mv.MaxMinor)
	sc.Microversion = "2.64"
	g, err := servergroups.Create(t.Context(), sc, servergroups.CreateOpts{Name: "g", Policy: "anti-affinity"}).Extract()
	require.NoError(t, err)
	require.Equal(t, "anti-affinity", *g.Policy)

	ic := b.service(client.NewImageV2)
	image, err := images.Create(t.Context(), ic, images.CreateOpts{
		Name: "mine", DiskFormat: "raw", ContainerFormat: "bare",
	}).Extract()
	require.NoError(t, err)
	require.Equal(t, images.ImageStatusQueued, image.Status)
	require.NoError(t, imagedata.Upload(t.Context(), ic, image.ID, strings.NewReader("bits")).ExtractErr())
	image, err = images.Get(t.Context(), ic, image.ID).Extract()
	require.NoError(t, err)
	require.Equal(t, images.ImageStatusActive, image.Status)
	require.EqualValues(t, 4, image.SizeBytes)
	require.NotEmpty(t, b.imageID("Image for masterNode HA kubernetes"))
}

func TestNovaQuotaIs403AndNeutronQuotaIs409(t *testing.T) {
	b := newBench(t)
	admin, err := b.provider("admin", adminPassword, "demo")
	require.NoError(t, err)
	for path, body := range map[string]string{
		"/compute/v2.1/os-quota-sets/": `{"quota_set":{"cores":1}}`,
		"/networking/v2.0/quotas/":     `{"quota":{"port":1,"floatingip":0}}`,
	} {
		code, _ := b.raw("PUT", path+b.demoProject(), b.demo().Token(), strings.NewReader(body))
		require.Equal(t, http.StatusForbidden, code)
		code, _ = b.raw("PUT", path+b.demoProject(), admin.Token(), strings.NewReader(body))
		require.Equal(t, http.StatusOK, code)
	}
	sc, nc := b.nova(), b.neutron()
	_, err = servers.Create(t.Context(), sc, servers.CreateOpts{
		Name: "n", FlavorRef: "3", ImageRef: b.imageID("debian-12-k8s"),
	}, nil).Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusForbidden), "%v", err)
	require.ErrorContains(t, err, "Quota exceeded for cores: Requested 2, but already used 0 of 1 cores")
	b.newPort(nc)
	_, err = ports.Create(t.Context(), nc, ports.CreateOpts{NetworkID: b.network(nc, "net0")}).Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusConflict))
	require.ErrorContains(t, err, "OverQuota")
	_, err = floatingips.Create(t.Context(), nc,
		floatingips.CreateOpts{FloatingNetworkID: b.network(nc, "public")}).Extract()
	require.ErrorContains(t, err, "Quota exceeded for resources: ['floatingip']")
}

func TestFaultsActAsOftenAsTold(t *testing.T) {
	b := newBench(t)
	sc := b.nova()
	list := func() error {
		_, err := servers.List(sc, nil).AllPages(t.Context())
		return err
	}
	code, _ := b.lab("POST", "/faults", map[string]any{
		"service": "nova", "method": "GET", "path": "/servers", "status": 503, "count": 2,
	})
	require.Equal(t, http.StatusCreated, code)
	for range 2 {
		require.True(t, gophercloud.ResponseCodeIs(list(), http.StatusServiceUnavailable))
	}
	require.NoError(t, list())
	_, out := b.lab("GET", "/faults", nil)
	require.EqualValues(t, 2, out["faults"].([]any)[0].(map[string]any)["hits"])

	b.lab("POST", "/faults", map[string]any{"service": "nova", "drop": true, "count": -1})
	require.Error(t, list())
	require.Error(t, list())
	b.lab("DELETE", "/faults", nil)
	require.NoError(t, list())

	begun := time.Now()
	b.lab("POST", "/faults", map[string]any{"service": "nova", "delay_ms": 200})
	require.NoError(t, list())
	require.GreaterOrEqual(t, time.Since(begun), 200*time.Millisecond)

	b.lab("POST", "/faults", map[string]any{"service": "nova", "delay_ms": 300, "count": 2})
	impatient, done := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer done()
	_, err := keypairs.Create(impatient, b.nova(), keypairs.CreateOpts{Name: "given-up"}).Extract()
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, list(), "it is delayed as long, and so ends later")
	_, err = keypairs.Get(t.Context(), b.nova(), "given-up", nil).Extract()
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusNotFound),
		"a call that was given up has done something: %v", err)

	for _, bad := range []map[string]any{{}, {"path": "("}, {"service": "swift", "status": 500}, {"status": 200}} {
		code, _ := b.lab("POST", "/faults", bad)
		require.Equal(t, http.StatusBadRequest, code, "%v", bad)
	}
}

func TestMachinesTakeOrders(t *testing.T) {
	b := newBench(t)
	sc := b.nova()
	s := b.boot(sc, b.newPort(b.neutron()).ID)
	for _, c := range []struct {
		order, status string
		state         machine.State
	}{
		{"freeze", "ACTIVE", machine.Frozen},
		{"thaw", "ACTIVE", machine.Running},
		{"kill", "SHUTOFF", machine.Stopped},
		{"start", "ACTIVE", machine.Running},
		{"reboot", "ACTIVE", machine.Running},
	} {
		code, _ := b.lab("POST", "/machines/"+s.ID+"/"+c.order, nil)
		require.Equal(t, http.StatusNoContent, code, c.order)
		got, err := servers.Get(t.Context(), sc, s.ID).Extract()
		require.NoError(t, err)
		require.Equal(t, c.status, got.Status, c.order)
		st, err := b.machines.State(t.Context(), s.ID)
		require.NoError(t, err)
		require.Equal(t, c.state, st, c.order)
	}
	code, _ := b.lab("POST", "/machines/nobody/kill", nil)
	require.Equal(t, http.StatusNotFound, code)
	_, all := b.lab("GET", "/resources", nil)
	kinds := []string{}
	for kind, list := range all {
		if len(list.([]any)) > 0 {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	require.Equal(t, []string{"ports", "servers"}, kinds)
}
