package nspawn

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

// firstBoot is user data as scripts that the image runs once. Config runs before sshd accepts a login, Final when the
// machine is up. The scripts refer to Files as file-0, file-1 ...
type firstBoot struct {
	Config, Final string
	Files         [][]byte
}

// cloudConfig is the part of cloud-init's format that the lab supports. It ignores other keys, as cloud-init ignores
// the keys of modules that it does not have.
type cloudConfig struct {
	Hostname          string      `yaml:"hostname"`
	Password          string      `yaml:"password"`
	SSHPwauth         *bool       `yaml:"ssh_pwauth"`
	SSHAuthorizedKeys []string    `yaml:"ssh_authorized_keys"`
	Chpasswd          chpasswd    `yaml:"chpasswd"`
	Users             []yaml.Node `yaml:"users"`
	WriteFiles        []writeSpec `yaml:"write_files"`
	Bootcmd           []yaml.Node `yaml:"bootcmd"`
	Runcmd            []yaml.Node `yaml:"runcmd"`
}

type chpasswd struct {
	List  yaml.Node `yaml:"list"` // "user:password" lines, or a list of them
	Users []struct {
		Name     string `yaml:"name"`
		Password string `yaml:"password"`
	} `yaml:"users"`
}

type user struct {
	Name              string    `yaml:"name"`
	Shell             string    `yaml:"shell"`
	Sudo              yaml.Node `yaml:"sudo"`
	PlainTextPasswd   string    `yaml:"plain_text_passwd"`
	SSHAuthorizedKeys []string  `yaml:"ssh_authorized_keys"`
}

type writeSpec struct {
	Path        string `yaml:"path"`
	Content     string `yaml:"content"`
	Encoding    string `yaml:"encoding"`
	Permissions string `yaml:"permissions"`
	Owner       string `yaml:"owner"`
	Append      bool   `yaml:"append"`
}

func parseUserData(data []byte) (firstBoot, error) {
	text := string(data)
	switch {
	case strings.TrimSpace(text) == "":
		return firstBoot{}, nil
	case strings.HasPrefix(text, "#!"):
		return firstBoot{Final: "#!/bin/sh\nchmod 700 file-0\n./file-0\n", Files: [][]byte{data}}, nil
	case strings.HasPrefix(text, "#cloud-config"):
		var c cloudConfig
		if err := yaml.Unmarshal(data, &c); err != nil {
			return firstBoot{}, fmt.Errorf("cloud-config: %w", err)
		}
		return c.scripts()
	}
	return firstBoot{}, errors.New("user data must start with #cloud-config or #! and an interpreter")
}

func (c cloudConfig) scripts() (firstBoot, error) {
	var f firstBoot
	var config, final strings.Builder
	for _, b := range []*strings.Builder{&config, &final} {
		b.WriteString("#!/bin/sh\n")
	}
	if c.Hostname != "" {
		fmt.Fprintf(&config, "echo %s >/etc/hostname\nhostname %[1]s\n", quote(c.Hostname))
		fmt.Fprintf(&config, "grep -qw %s /etc/hosts || echo 127.0.1.1 %[1]s >>/etc/hosts\n", quote(c.Hostname))
	}
	if err := c.files(&config, &f); err != nil {
		return f, err
	}
	if err := c.logins(&config); err != nil {
		return f, err
	}
	if c.SSHPwauth != nil {
		answer := map[bool]string{true: "yes", false: "no"}[*c.SSHPwauth]
		fmt.Fprintf(&config, "echo PasswordAuthentication %s >/etc/ssh/sshd_config.d/10-cloud-config.conf\n", answer)
	}
	if err := commands(&config, c.Bootcmd); err != nil {
		return f, fmt.Errorf("bootcmd: %w", err)
	}
	if err := commands(&final, c.Runcmd); err != nil {
		return f, fmt.Errorf("runcmd: %w", err)
	}
	f.Config, f.Final = config.String(), final.String()
	return f, nil
}

func (c cloudConfig) files(b *strings.Builder, f *firstBoot) error {
	for _, w := range c.WriteFiles {
		content := []byte(w.Content)
		switch strings.ToLower(w.Encoding) {
		case "", "text/plain":
		case "b64", "base64":
			var err error
			if content, err = base64.StdEncoding.DecodeString(strings.TrimSpace(w.Content)); err != nil {
				return fmt.Errorf("write_files: %s: %w", w.Path, err)
			}
		default:
			return fmt.Errorf("write_files: %s: encoding %q is not known", w.Path, w.Encoding)
		}
		redirect := map[bool]string{false: ">", true: ">>"}[w.Append]
		fmt.Fprintf(b, "mkdir -p \"$(dirname %s)\"\ncat file-%d %s%[1]s\n", quote(w.Path), len(f.Files), redirect)
		if w.Permissions == "" {
			w.Permissions = "0644"
		}
		fmt.Fprintf(b, "chmod %s %s\n", quote(w.Permissions), quote(w.Path))
		if w.Owner != "" {
			fmt.Fprintf(b, "chown %s %s\n", quote(w.Owner), quote(w.Path))
		}
		f.Files = append(f.Files, content)
	}
	return nil
}

func (c cloudConfig) logins(b *strings.Builder) error {
	for _, node := range c.Users {
		if node.Kind == yaml.ScalarNode { // "default" is the user that the image has already
			continue
		}
		var u user
		if err := node.Decode(&u); err != nil {
			return fmt.Errorf("users: %w", err)
		}
		u.script(b)
	}
	authorize(b, machine.User, c.SSHAuthorizedKeys)
	if c.Password != "" {
		setLogin(b, machine.User, c.Password)
	}
	for _, u := range c.Chpasswd.Users {
		setLogin(b, u.Name, u.Password)
	}
	var lines []string
	if c.Chpasswd.List.Kind == yaml.ScalarNode {
		lines = strings.Split(c.Chpasswd.List.Value, "\n")
	} else if err := c.Chpasswd.List.Decode(&lines); err != nil && c.Chpasswd.List.Kind != 0 {
		return fmt.Errorf("chpasswd: list: %w", err)
	}
	for _, line := range lines {
		if name, password, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			setLogin(b, name, password)
		}
	}
	return nil
}

func (u user) script(b *strings.Builder) {
	shell := u.Shell
	if shell == "" {
		shell = "/bin/bash"
	}
	fmt.Fprintf(b, "id %s >/dev/null 2>&1 || useradd -m -s %s %[1]s\n", quote(u.Name), quote(shell))
	var sudo []string
	if u.Sudo.Kind == yaml.ScalarNode {
		sudo = []string{u.Sudo.Value}
	} else if u.Sudo.Kind == yaml.SequenceNode {
		_ = u.Sudo.Decode(&sudo)
	}
	for _, rule := range sudo {
		fmt.Fprintf(b, "echo %s >>/etc/sudoers.d/90-cloud-config\n", quote(u.Name+" "+rule))
	}
	if u.PlainTextPasswd != "" {
		setLogin(b, u.Name, u.PlainTextPasswd)
	}
	authorize(b, u.Name, u.SSHAuthorizedKeys)
}

// setLogin uses the shell's builtin printf, so that no process has the password in its arguments.
func setLogin(b *strings.Builder, name, password string) {
	fmt.Fprintf(b, "printf '%%s\\n' %s | chpasswd\n", quote(name+":"+password))
}

func authorize(b *strings.Builder, name string, keys []string) {
	for _, key := range keys {
		fmt.Fprintf(b, "home=$(getent passwd %s | cut -d: -f6); install -d -m 700 -o %[1]s -g %[1]s \"$home/.ssh\"\n",
			quote(name))
		fmt.Fprintf(b, "echo %s >>\"$home/.ssh/authorized_keys\"; chmod 600 \"$home/.ssh/authorized_keys\"; chown %s: "+
			"\"$home/.ssh/authorized_keys\"\n", quote(key), quote(name))
	}
}

// commands writes each entry as its own command. As in cloud-init, the next command runs even if one fails.
func commands(b *strings.Builder, nodes []yaml.Node) error {
	for _, node := range nodes {
		if node.Kind == yaml.ScalarNode {
			fmt.Fprintf(b, "%s\n", node.Value)
			continue
		}
		var words []string
		if err := node.Decode(&words); err != nil {
			return err
		}
		for n, word := range words {
			words[n] = quote(word)
		}
		fmt.Fprintf(b, "%s\n", strings.Join(words, " "))
	}
	return nil
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
