// Package vdu is for drivers that log in to servers of any VNF: it says how to reach the servers of each VDU.
package vdu

import (
	"cmp"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Login is how to reach the servers of a VDU by SSH.
type Login struct {
	Username   string     `json:"username" param:"required=it is the user for SSH; is=user name"`
	Password   lcm.Secret `json:"password,omitzero"`
	PrivateKey lcm.Secret `json:"private_key,omitzero"` // OpenSSH or PEM; preferred to Password
	// SSHCpName names the address to use: a connection point, or the port or floating IP of the Base HOT. Without a name
	// it is the first one of the server.
	SSHCpName string `json:"ssh_cp_name,omitempty"`
}

// Timeouts are limits in seconds.
type Timeouts struct {
	Login int `json:"login,omitempty" param:"default=30; min=1; max=600; unit=seconds"`
	SSH   int `json:"ssh,omitempty" param:"default=600; min=1; max=10000; unit=seconds"`
	Run   int `json:"run,omitempty" param:"default=1800; min=1; max=10000; unit=seconds"`
}

// Logins are the logins of a request, by VDU.
type Logins map[string]Login

// Role is the role of a VDU's servers, for the driver of that name.
func Role(driver, vdu string) lcm.Role { return lcm.Role(driver + "/" + vdu) }

// Access says how to reach the servers of a role.
func (l Logins) Access(driver string, role lcm.Role, t Timeouts) (lifecycle.Access, bool) {
	id, mine := strings.CutPrefix(string(role), driver+"/")
	login, known := l[id]
	return lifecycle.Access{
		User: login.Username, Password: login.Password, PrivateKey: login.PrivateKey,
		Login: time.Duration(cmp.Or(t.Login, 30)) * time.Second, SSH: time.Duration(cmp.Or(t.SSH, 600)) * time.Second,
	}, mine && known
}

// Check requires that the VDUs of the logins exist, and that each login has a password or a key. path is the place of
// the logins in the request.
func (l Logins) Check(r driver.Request, path string) {
	for id, login := range l {
		if _, ok := r.Flavour.Vdu(id); !ok {
			r.Found.Names(path+"."+id, "the VNFD has no VDU %q", id)
		}
		if login.Password.IsZero() && login.PrivateKey.IsZero() {
			r.Found.Mistake(lcm.Problem{Path: path + "." + id, Detail: "give password or private_key"})
		}
	}
}
