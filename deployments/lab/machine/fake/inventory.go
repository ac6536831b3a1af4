package fake

import (
	"encoding/base64"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// inventory is an Ansible inventory in INI form, with the parts that a play on fake machines uses.
type inventory struct {
	hosts  []inventoryHost
	groups map[string][]string // hosts and groups of each group
}

type inventoryHost struct {
	name string
	vars map[string]string
}

func parseInventory(text string) inventory {
	i, group := inventory{groups: map[string][]string{}}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			group = strings.TrimSuffix(strings.Trim(line, "[]"), ":children")
		case group == "all":
			host := inventoryHost{fields[0], map[string]string{}}
			for _, field := range fields[1:] {
				if name, value, ok := strings.Cut(field, "="); ok {
					host.vars[name] = value
				}
			}
			i.hosts = append(i.hosts, host)
		default:
			i.groups[group] = append(i.groups[group], fields[0])
		}
	}
	return i
}

// in returns the hosts of these groups and of their subgroups, in order.
func (i inventory) in(groups ...string) (hosts []inventoryHost) {
	var names []string
	for todo := slices.Clone(groups); len(todo) > 0; todo = todo[1:] {
		names = append(names, i.groups[todo[0]]...)
		for _, member := range i.groups[todo[0]] {
			if _, isGroup := i.groups[member]; isGroup {
				todo = append(todo, member)
			}
		}
	}
	for _, host := range i.hosts {
		if slices.Contains(names, host.name) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// named returns the hosts with these names, and the hosts of groups with these names.
func (i inventory) named(names []string) (hosts []string) {
	for _, name := range names {
		if _, isGroup := i.groups[name]; !isGroup {
			hosts = append(hosts, name)
		}
		for _, host := range i.in(name) {
			hosts = append(hosts, host.name)
		}
	}
	return hosts
}

// named returns the hosts with these names, or all hosts when there are no names.
func named(hosts []inventoryHost, names []string) []inventoryHost {
	if len(names) == 0 {
		return hosts
	}
	return slices.DeleteFunc(slices.Clone(hosts), func(h inventoryHost) bool { return !slices.Contains(names, h.name) })
}

// login finds the host's machine. why is ssh's error when an Ansible server cannot log in, "" when it can.
func (h *Hypervisor) login(of inventoryHost, password, key, knownHosts string) (m *Machine, why string) {
	address := of.vars["ansible_host"]
	if m = h.machineAt(h.behind(address)); m == nil || !m.works() {
		return nil, "Failed to connect to the host via ssh: ssh: connect to host " + address + ": Connection timed out"
	}
	if !strings.Contains(knownHosts, m.publicKey()) {
		return nil, "Failed to connect to the host via ssh: Host key verification failed."
	}
	m.mu.Lock()
	logins := newLogins(m.def)
	m.mu.Unlock()
	user := of.vars["ansible_user"]
	if signer, err := ssh.ParsePrivateKey([]byte(key)); err == nil {
		if u := logins.users[user]; u != nil && u.keys[string(signer.PublicKey().Marshal())] {
			return m, ""
		}
	}
	if _, err := logins.password(user, password); err == nil {
		return m, ""
	}
	if password != "" {
		return nil, "Invalid/incorrect password: Permission denied, please try again."
	}
	return nil, "Failed to connect to the host via ssh: " + user + "@" + address + ": Permission denied (publickey,password)."
}

// publicKey returns the machine's host key in the form of known_hosts.
func (m *Machine) publicKey() string {
	signer, err := ssh.NewSignerFromKey(m.privateKey())
	if err != nil {
		return "no key"
	}
	return base64.StdEncoding.EncodeToString(signer.PublicKey().Marshal())
}
