package openstack

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func keyPairView(k KeyPair) object {
	return object{
		"name": k.Name, "public_key": k.PublicKey, "fingerprint": k.Fingerprint, "user_id": k.UserID, "type": "ssh",
		"created_at": stamp(k.Created), "id": 1, "deleted": false,
	}
}

func (c *Cloud) listKeyPairs(r *request) (reply, error) {
	out := []object{}
	for _, k := range state.LoadAll(c.store, keypairs, r.token.UserID+"/") {
		out = append(out, object{"keypair": keyPairView(k)})
	}
	return ok(object{"keypairs": out})
}

type keyPairRequest struct {
	Name      string `json:"name"`
	PublicKey string `json:"public_key"`
}

func (c *Cloud) createKeyPairCall(r *request, q keyPairRequest) (reply, error) {
	k, private, err := c.createKeyPair(r.token.UserID, r.project(), q.Name, q.PublicKey, false)
	if err != nil {
		return reply{}, err
	}
	view := keyPairView(k)
	if private != "" {
		view["private_key"] = private
	}
	return ok(object{"keypair": view})
}

// createKeyPair imports a public key or generates a key pair.
func (c *Cloud) createKeyPair(user, project, name, public string, keepPrivate bool) (KeyPair, string, error) {
	k := KeyPair{Name: name, PublicKey: strings.TrimSpace(public), UserID: user, ProjectID: project, Created: c.now()}
	if name == "" {
		return k, "", badRequest("Invalid input for field/attribute name.")
	}
	private := ""
	if k.PublicKey == "" {
		pub, priv, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return k, "", err
		}
		block, err := ssh.MarshalPrivateKey(priv, name)
		if err != nil {
			return k, "", err
		}
		sshPub, err := ssh.NewPublicKey(pub)
		if err != nil {
			return k, "", err
		}
		private = string(pem.EncodeToMemory(block))
		k.PublicKey = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(sshPub)))
	}
	parsed, _, _, _, err := ssh.ParseAuthorizedKey([]byte(k.PublicKey)) //nolint:dogsled // the key is all that is wanted
	if err != nil {
		return k, "", badRequest("Keypair data is invalid: failed to generate fingerprint")
	}
	k.Fingerprint = ssh.FingerprintLegacyMD5(parsed)
	if keepPrivate {
		k.PrivateKey = private
	}
	err = c.store.Update(func(tx *state.Tx) error {
		if _, exists := keypairs.Get(tx, user+"/"+name); exists {
			return conflict("Conflict", "Key pair '%s' already exists.", name)
		}
		if exceeded(c.quota(tx, "nova", project)["key_pairs"], c.usage(tx, "nova", project)["key_pairs"], 1) {
			return fail(http.StatusForbidden, "Forbidden", "Quota exceeded, too many key pairs.")
		}
		return keypairs.Put(tx, user+"/"+name, k)
	})
	return k, private, err
}

func (c *Cloud) keyPair(r *request) (KeyPair, error) {
	k, found := state.Load(c.store, keypairs, r.token.UserID+"/"+r.PathValue("name"))
	if !found {
		return k, notFound("NotFound", "Keypair %s not found for user %s", r.PathValue("name"), r.token.UserID)
	}
	return k, nil
}

func (c *Cloud) deleteKeyPair(_ *request, k KeyPair) (reply, error) {
	return empty(http.StatusAccepted, state.Remove(c.store, keypairs, k.UserID+"/"+k.Name))
}

func (c *Cloud) serverGroupView(g ServerGroup, version int) object {
	members := []string{}
	for _, s := range state.LoadAll(c.store, servers, "") {
		if s.GroupID == g.ID {
			members = append(members, s.ID)
		}
	}
	view := object{"id": g.ID, "name": g.Name, "members": members, "project_id": g.ProjectID, "user_id": g.UserID}
	if version >= 64 {
		view["policy"], view["rules"] = g.Policy, object{}
	} else {
		view["policies"], view["metadata"] = []string{g.Policy}, object{}
	}
	return view
}

func (c *Cloud) listServerGroups(r *request) (reply, error) {
	out := []object{}
	for _, g := range state.LoadAll(c.store, serverGroups, "") {
		if r.lists(g.ProjectID) {
			out = append(out, c.serverGroupView(g, microversionOf(r.Request)))
		}
	}
	return ok(object{"server_groups": out})
}

type serverGroupRequest struct {
	Name     string   `json:"name"`
	Policies []string `json:"policies"`
	Policy   string   `json:"policy"`
}

func (c *Cloud) createServerGroupCall(r *request, q serverGroupRequest) (reply, error) {
	if len(q.Policies) == 1 {
		q.Policy = q.Policies[0]
	}
	g, err := c.createServerGroup(uuid.NewString(), r.project(), r.token.UserID, q.Name, q.Policy)
	if err != nil {
		return reply{}, err
	}
	return c.showServerGroup(r, g)
}

func (c *Cloud) createServerGroup(id, project, user, name, policy string) (ServerGroup, error) {
	g := ServerGroup{ID: id, Name: name, Policy: policy, ProjectID: project, UserID: user}
	switch policy {
	case "affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity":
	default:
		return g, badRequest("Invalid input for field/attribute policies. Value: %s.", policy)
	}
	return g, c.store.Update(func(tx *state.Tx) error {
		if have, found := serverGroups.Get(tx, id); found {
			g = have
			return nil
		}
		if exceeded(c.quota(tx, "nova", project)["server_groups"], c.usage(tx, "nova", project)["server_groups"], 1) {
			return fail(http.StatusForbidden, "Forbidden", "Quota exceeded, too many server groups.")
		}
		return serverGroups.Put(tx, id, g)
	})
}

func (c *Cloud) serverGroup(r *request) (ServerGroup, error) {
	g, found := state.Load(c.store, serverGroups, r.PathValue("id"))
	if !found || !r.sees(g.ProjectID) {
		return g, notFound("NotFound", "Instance group %s could not be found.", r.PathValue("id"))
	}
	return g, nil
}

func (c *Cloud) showServerGroup(r *request, g ServerGroup) (reply, error) {
	return ok(object{"server_group": c.serverGroupView(g, microversionOf(r.Request))})
}

func (c *Cloud) deleteServerGroup(_ *request, g ServerGroup) (reply, error) {
	return empty(http.StatusNoContent, state.Remove(c.store, serverGroups, g.ID))
}

// intOf reads a number that clients send as a number or as text.
func intOf(v any, def int) int {
	switch x := v.(type) {
	case float64:
		return int(x)
	case int:
		return x
	case string:
		var n int
		if err := json.Unmarshal([]byte(x), &n); err == nil {
			return n
		}
	}
	return def
}
