package secrets

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// keyFileHeader tells every reader of the file its purpose.
const keyFileHeader = `# The keys of Windlass, "id:base64(32 bytes)". The first seals; the others open what they sealed before.
# A person with this file and the database has every password. Without this file the passwords are lost.
`

var keyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Source says where the keys are.
type Source struct {
	// File is the key file; only its owner may be able to read it. Without a file, the environment variable Env has the
	// keys; its lines may also be separated by commas or blanks.
	File, Env string
	// Token unwraps the keys if they are wrapped. Only keys in a file may be.
	Token Token
}

// LoadKeyring reads the keys. The token, if one is needed, is asked this once only.
func LoadKeyring(ctx context.Context, from Source) (*Keyring, error) {
	if from.File != "" {
		keys, err := loadKeyFile(ctx, from.File, from.Token)
		if err != nil {
			return nil, err
		}
		return newKeyring(keys)
	}
	value := os.Getenv(from.Env)
	if from.Env == "" || strings.TrimSpace(value) == "" {
		return nil, lcm.Errorf(lcm.KindInvalid, "There is no key for secrets: name a key file or put keys into the "+
			"environment variable %s. `windlass keys generate FILE` makes one.", from.Env)
	}
	entries := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	keys, err := parseKeys("environment variable "+from.Env, entries)
	if err != nil {
		return nil, err
	}
	return newKeyring(keys)
}

// loadKeyFile returns the keys in a plain or a wrapped file.
func loadKeyFile(ctx context.Context, file string, t Token) ([]dataKey, error) {
	b, err := readOwn("key file", file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(b), "\n")
	if !isWrapped(lines) {
		return parseKeys(file, lines)
	}
	wrapped, err := parseWrapped(file, lines)
	if err != nil {
		return nil, err
	}
	return t.unwrap(ctx, wrapped)
}

// readOwn reads a file that nobody but its owner may read.
func readOwn(what, file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The %s %s cannot be read.", what, file)
	}
	if !info.Mode().IsRegular() {
		return nil, lcm.Errorf(lcm.KindInvalid, "The %s %s is not a regular file.", what, file)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, lcm.Errorf(lcm.KindInvalid, "The %s %s has mode %#o: others can read it. Set it with: chmod 600 %s",
			what, file, mode, file)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The %s %s cannot be read.", what, file)
	}
	return b, nil
}

// parseKeys reports all mistakes, by line and never by content.
func parseKeys(source string, lines []string) (keys []dataKey, _ error) {
	var problems []lcm.Problem
	seen := map[string]bool{}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, err := parseKey(line)
		if err == nil && seen[key.id] {
			err = fmt.Errorf("key %s is there twice", key.id)
		}
		if err != nil {
			problems = append(problems, lcm.Problem{Path: fmt.Sprintf("%s line %d", source, i+1), Detail: err.Error()})
		}
		seen[key.id] = true
		keys = append(keys, key)
	}
	if len(problems) == 0 && len(keys) == 0 {
		problems = append(problems, lcm.Problem{Path: source, Detail: "holds no key"})
	}
	return keys, lcm.InvalidAll("The keys cannot be used.", problems)
}

func parseKey(line string) (dataKey, error) {
	id, encoded, found := strings.Cut(line, ":")
	if !found || !keyID.MatchString(id) {
		return dataKey{}, errors.New("is not of the form id:base64, with an id of letters, digits, dots, hyphens and underscores")
	}
	material, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(material) != keySize {
		return dataKey{}, fmt.Errorf("key %s is not 32 bytes in base64", id)
	}
	return dataKey{id, material}, nil
}

// newKeyring makes a keyring of keys; the first is active.
func newKeyring(keys []dataKey) (*Keyring, error) {
	k := &Keyring{active: keys[0].id, keys: map[string]key{}}
	for _, d := range keys {
		var err error
		if k.keys[d.id], err = newKey(d.material); err != nil {
			return nil, fmt.Errorf("key %s: %w", d.id, err)
		}
	}
	return k, nil
}

// plainText is the content of a plain key file.
func plainText(keys []dataKey) string {
	var b strings.Builder
	b.WriteString(keyFileHeader)
	for _, k := range keys {
		b.WriteString(k.id + ":" + base64.StdEncoding.EncodeToString(k.material) + "\n")
	}
	return b.String()
}
