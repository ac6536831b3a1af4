package fake

import (
	"crypto/subtle"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// logins are the accounts and keys that cloud-init would set up.
type logins struct {
	users map[string]*login
}

type login struct {
	passwords []string
	keys      map[string]bool // wire format
}

// cloudConfig has the login settings of "#cloud-config".
type cloudConfig struct {
	Password string   `yaml:"password"`
	Keys     []string `yaml:"ssh_authorized_keys"`
	Chpasswd struct {
		Users []struct {
			Name     string `yaml:"name"`
			Password string `yaml:"password"`
		} `yaml:"users"`
		List yaml.Node `yaml:"list"`
	} `yaml:"chpasswd"`
	Users []yaml.Node `yaml:"users"`
}

type cloudUser struct {
	Name     string   `yaml:"name"`
	Password string   `yaml:"plain_text_passwd"`
	Keys     []string `yaml:"ssh_authorized_keys"`
}

// checkUserData refuses user data in a format that cloud-init does not know.
func checkUserData(def machine.Machine) error {
	text := string(def.UserData)
	if text == "" || strings.HasPrefix(text, "#cloud-config") || strings.HasPrefix(text, "#!") {
		return nil
	}
	return lcm.Errorf(lcm.KindInvalid, "machine %s: its user data is neither a #cloud-config document nor a #! script",
		def.ID)
}

func newLogins(def machine.Machine) *logins {
	l := &logins{users: map[string]*login{}}
	l.allow(machine.User, def.AdminPass, def.AuthorizedKeys)
	var c cloudConfig
	if !strings.HasPrefix(string(def.UserData), "#cloud-config") || yaml.Unmarshal(def.UserData, &c) != nil {
		return l
	}
	l.allow(machine.User, c.Password, c.Keys)
	for _, node := range c.Users {
		var u cloudUser
		if node.Decode(&u) == nil && u.Name != "" { // the other form is the plain string "default"
			l.allow(u.Name, u.Password, u.Keys)
		}
	}
	for _, u := range c.Chpasswd.Users {
		l.allow(u.Name, u.Password, nil)
	}
	l.allowList(c.Chpasswd.List)
	return l
}

// allowList reads chpasswd.list: "user:password" lines, as one string or as a list.
func (l *logins) allowList(node yaml.Node) {
	var lines []string
	var text string
	if node.Decode(&lines) != nil && node.Decode(&text) == nil {
		lines = strings.Split(text, "\n")
	}
	for _, line := range lines {
		if name, password, ok := strings.Cut(line, ":"); ok {
			l.allow(name, password, nil)
		}
	}
}

func (l *logins) allow(user, password string, keys []string) {
	u := l.users[user]
	if u == nil {
		u = &login{keys: map[string]bool{}}
		l.users[user] = u
	}
	if password != "" {
		u.passwords = append(u.passwords, password)
	}
	for _, line := range keys {
		if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line)); err == nil {
			u.keys[string(key.Marshal())] = true
		}
	}
}

var errRefused = errors.New("permission denied")

func (l *logins) password(user, given string) (*ssh.Permissions, error) {
	if u := l.users[user]; u != nil {
		for _, password := range u.passwords {
			if subtle.ConstantTimeCompare([]byte(password), []byte(given)) == 1 {
				return nil, nil
			}
		}
	}
	return nil, errRefused
}

func (l *logins) config(signer ssh.Signer) *ssh.ServerConfig {
	c := &ssh.ServerConfig{
		ServerVersion: "SSH-2.0-OpenSSH_9.2p1 windlass-lab-fake",
		PasswordCallback: func(conn ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			return l.password(conn.User(), string(password))
		},
		PublicKeyCallback: func(conn ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if u := l.users[conn.User()]; u != nil && u.keys[string(key.Marshal())] {
				return nil, nil
			}
			return nil, errRefused
		},
		KeyboardInteractiveCallback: func(conn ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions,
			error,
		) {
			answers, err := ask("", "", []string{"Password: "}, []bool{false})
			if err != nil || len(answers) != 1 {
				return nil, errRefused
			}
			return l.password(conn.User(), answers[0])
		},
	}
	c.AddHostKey(signer)
	return c
}
