package openstack

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// The states of servers, as Nova names them.
const (
	statusBuild   = "BUILD"
	statusActive  = "ACTIVE"
	statusShutoff = "SHUTOFF"
	statusPaused  = "PAUSED"
	statusReboot  = "REBOOT"
	statusError   = "ERROR"
)

// Server is a Nova server. Its machine has the same id.
type Server struct {
	ID, Name, ProjectID, UserID, UserName string
	Status, Task                          string
	Flavor                                Flavor
	ImageID, ImageName                    string // "" when booted from a volume
	BootImage                             string // the image that the machine runs
	KeyName, AdminPass, AZ, Host          string
	AuthorizedKeys                        []string
	UserData                              []byte
	ConfigDrive                           bool
	Metadata                              map[string]string
	PortIDs                               []string
	OwnPorts                              []string // Nova made them with the server and deletes them with it
	GroupID                               string
	Volumes                               []Attachment
	Fault                                 *ServerFault
	Created, Updated, Launched            time.Time
	Deleting                              bool
}

// Attachment is a volume attached to a server.
type Attachment struct {
	VolumeID, Device    string
	DeleteOnTermination bool
	// Boot marks a boot volume. The machine does not get it, because it has its own root file system.
	Boot bool
}

// ServerFault says why a server is in ERROR.
type ServerFault struct {
	Code    int
	Message string
	At      time.Time
}

// KeyPair is an SSH key. The lab keeps PrivateKey only for a template that asks for it.
type KeyPair struct {
	Name, PublicKey, PrivateKey, Fingerprint string
	UserID, ProjectID                        string
	Created                                  time.Time
}

// ServerGroup keeps servers together or apart.
type ServerGroup struct {
	ID, Name, Policy, ProjectID, UserID string
}

const (
	servers      = state.Table[Server]("nova_servers")
	keypairs     = state.Table[KeyPair]("nova_keypairs") // by user and name
	serverGroups = state.Table[ServerGroup]("nova_server_groups")
)

// The microversions that Nova supports.
const (
	minMicroversion = 1
	maxMicroversion = 96
)

func (rt *router) nova() {
	c := rt.c
	rt.roots(nova, func(*request) (reply, error) { return ok(object{"versions": []object{c.novaVersion()}}) }, "", "/{$}")
	rt.roots(nova, func(*request) (reply, error) { return ok(object{"version": c.novaVersion()}) }, "/v2.1", "/v2.1/{$}")
	rt.on(nova, "POST /v2.1/servers", given("server", c.createServerCall))
	rt.on(nova, "GET /v2.1/servers", func(r *request) (reply, error) { return c.listServers(r, false) })
	rt.on(nova, "GET /v2.1/servers/detail", func(r *request) (reply, error) { return c.listServers(r, true) })
	const server = "/v2.1/servers/{id}"
	on := func(pattern string, h func(*request, Server) (reply, error)) { rt.on(nova, pattern, with(c.server, h)) }
	on("GET "+server, c.showServer)
	rt.on(nova, "PUT "+server, withGiven(c.server, "server", c.updateServer))
	on("DELETE "+server, c.deleteServerCall)
	rt.on(nova, "POST "+server+"/action", withGiven(c.server, "", c.serverAction))
	on("GET "+server+"/metadata", showMetadata)
	rt.on(nova, "POST "+server+"/metadata", withGiven(c.server, "metadata", c.changeMetadata))
	rt.on(nova, "PUT "+server+"/metadata", withGiven(c.server, "metadata", c.changeMetadata))
	on("GET "+server+"/ips", c.serverAddresses)
	on("GET "+server+"/os-interface", c.serverInterfaces)
	rt.on(nova, "POST "+server+"/os-interface", withGiven(c.server, "interfaceAttachment", c.attachInterface))
	on("DELETE "+server+"/os-interface/{port}", c.detachInterface)
	on("GET "+server+"/tags", func(r *request, _ Server) (reply, error) { return c.listTags(r) })
	rt.on(nova, "PUT "+server+"/tags", withGiven(c.server, "tags", func(r *request, _ Server, list []string) (reply, error) {
		return c.replaceTags(r, list)
	}))
	on("GET "+server+"/os-volume_attachments", listAttachments)
	rt.on(nova, "POST "+server+"/os-volume_attachments", withGiven(c.server, "volumeAttachment", c.attachCall))
	on("GET "+server+"/os-volume_attachments/{volume}", showAttachment)
	on("DELETE "+server+"/os-volume_attachments/{volume}", c.detachCall)
	rt.novaFlavors()
	rt.on(nova, "GET /v2.1/os-keypairs", c.listKeyPairs)
	rt.on(nova, "POST /v2.1/os-keypairs", given("keypair", c.createKeyPairCall))
	rt.on(nova, "GET /v2.1/os-keypairs/{name}", show("keypair", c.keyPair, keyPairView))
	rt.on(nova, "DELETE /v2.1/os-keypairs/{name}", with(c.keyPair, c.deleteKeyPair))
	rt.on(nova, "GET /v2.1/os-server-groups", c.listServerGroups)
	rt.on(nova, "POST /v2.1/os-server-groups", given("server_group", c.createServerGroupCall))
	rt.on(nova, "GET /v2.1/os-server-groups/{id}", with(c.serverGroup, c.showServerGroup))
	rt.on(nova, "DELETE /v2.1/os-server-groups/{id}", with(c.serverGroup, c.deleteServerGroup))
	rt.on(nova, "GET /v2.1/limits", c.novaLimits)
	rt.on(nova, "GET /v2.1/os-availability-zone", c.zones)
	rt.on(nova, "GET /v2.1/os-availability-zone/detail", c.zones)
	rt.on(nova, "GET /v2.1/os-hypervisors", c.hypervisors)
	rt.on(nova, "GET /v2.1/os-hypervisors/detail", c.hypervisors)
	rt.on(nova, "GET /v2.1/os-services", c.computeServices)
	rt.quotaSets(nova, "/v2.1")
}

func (c *Cloud) novaVersion() object {
	return object{
		"id": "v2.1", "status": "CURRENT", "version": fmt.Sprintf("2.%d", maxMicroversion),
		"min_version": fmt.Sprintf("2.%d", minMicroversion),
		"updated":     "2013-07-23T11:33:21Z", "links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/compute/v2.1/"}},
	}
}

// microversionOf reads the microversion that a caller wants; the default is 1.
func microversionOf(r *http.Request) int {
	v := r.Header.Get("X-Openstack-Nova-Api-Version")
	if v == "" {
		name, rest, _ := strings.Cut(r.Header.Get("Openstack-Api-Version"), " ")
		if name == "compute" {
			v = rest
		}
	}
	if v == "latest" {
		return maxMicroversion
	}
	minor, err := strconv.Atoi(strings.TrimPrefix(v, "2."))
	if err != nil {
		return minMicroversion
	}
	return minor
}

// microversion writes the microversion of the answer into its headers.
func (c *Cloud) microversion(w http.ResponseWriter, r *http.Request) {
	v := fmt.Sprintf("2.%d", microversionOf(r))
	w.Header().Set("Openstack-Api-Version", "compute "+v)
	w.Header().Set("X-Openstack-Nova-Api-Version", v)
	w.Header().Add("Vary", "OpenStack-API-Version")
}

func (c *Cloud) hosts() []string {
	out := make([]string, 0, c.cfg.ComputeHosts)
	for i := range c.cfg.ComputeHosts {
		out = append(out, fmt.Sprintf("lab-compute-%d", i+1))
	}
	return out
}

// zone is the only availability zone.
const zone = "nova"

func (c *Cloud) zones(*request) (reply, error) {
	return ok(object{"availabilityZoneInfo": []object{{
		"zoneName": zone, "zoneState": object{"available": true}, "hosts": nil,
	}}})
}

func (c *Cloud) hypervisors(r *request) (reply, error) {
	if !r.token.Admin() {
		return reply{}, fail(http.StatusForbidden, "Forbidden",
			"Policy doesn't allow os_compute_api:os-hypervisors to be performed.")
	}
	out := []object{}
	for i, h := range c.hosts() {
		out = append(out, object{
			"id": i + 1, "hypervisor_hostname": h, "state": "up", "status": "enabled", "hypervisor_type": "lab",
			"host_ip": "127.0.0.1", "service": object{"id": i + 1, "host": h, "disabled_reason": nil},
		})
	}
	return ok(object{"hypervisors": out})
}

func (c *Cloud) computeServices(r *request) (reply, error) {
	if !r.token.Admin() {
		return reply{}, fail(http.StatusForbidden, "Forbidden",
			"Policy doesn't allow os_compute_api:os-services:list to be performed.")
	}
	out := []object{}
	for i, h := range c.hosts() {
		out = append(out, object{
			"id": i + 1, "binary": "nova-compute", "host": h, "zone": zone, "status": "enabled",
			"state": "up", "updated_at": stamp(c.now()),
		})
	}
	return ok(object{"services": out})
}

func (c *Cloud) novaLimits(r *request) (reply, error) {
	var limit, used Quota
	_ = c.store.View(func(tx *state.Tx) error {
		limit, used = c.quota(tx, "nova", r.project()), c.usage(tx, "nova", r.project())
		return nil
	})
	return ok(object{"limits": object{"rate": []object{}, "absolute": object{
		"maxTotalInstances": limit["instances"], "totalInstancesUsed": used["instances"],
		"maxTotalCores": limit["cores"], "totalCoresUsed": used["cores"], "maxTotalRAMSize": limit["ram"],
		"totalRAMUsed": used["ram"], "maxTotalKeypairs": limit["key_pairs"], "maxServerGroups": limit["server_groups"],
		"totalServerGroupsUsed": used["server_groups"], "maxServerGroupMembers": limit["server_group_members"],
		"maxServerMeta": limit["metadata_items"],
	}}})
}
