package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// LoadKeyring reads the key file; only its owner may be able to read it. Without a file, it reads the environment
// variable env, whose lines may also be separated by commas or blanks.
func LoadKeyring(file, env string) (*Keyring, error) {
	if file != "" {
		return loadKeyFile(file)
	}
	value := os.Getenv(env)
	if env == "" || strings.TrimSpace(value) == "" {
		return nil, lcm.Errorf(lcm.KindInvalid, "There is no key for secrets: name a key file or put keys into the "+
			"environment variable %s. `windlass keys generate FILE` makes one.", env)
	}
	entries := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	return parseKeys("environment variable "+env, entries)
}

func loadKeyFile(file string) (*Keyring, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be read.", file)
	}
	if !info.Mode().IsRegular() {
		return nil, lcm.Errorf(lcm.KindInvalid, "The key file %s is not a regular file.", file)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, lcm.Errorf(lcm.KindInvalid, "The key file %s has mode %#o: others can read it. Set it with: chmod 600 %s",
			file, mode, file)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be read.", file)
	}
	return parseKeys(file, strings.Split(string(b), "\n"))
}

// parseKeys reports all mistakes, by line and never by content.
func parseKeys(source string, lines []string) (*Keyring, error) {
	k := &Keyring{keys: map[string]key{}}
	var problems []lcm.Problem
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := k.add(line); err != nil {
			problems = append(problems, lcm.Problem{Path: fmt.Sprintf("%s line %d", source, i+1), Detail: err.Error()})
		}
	}
	if len(problems) == 0 && k.active == "" {
		problems = append(problems, lcm.Problem{Path: source, Detail: "holds no key"})
	}
	return k, lcm.InvalidAll("The keys cannot be used.", problems)
}

func (k *Keyring) add(line string) error {
	id, encoded, found := strings.Cut(line, ":")
	if !found || !keyID.MatchString(id) {
		return errors.New("is not of the form id:base64, with an id of letters, digits, dots, hyphens and underscores")
	}
	material, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(material) != keySize {
		return fmt.Errorf("key %s is not 32 bytes in base64", id)
	}
	if _, twice := k.keys[id]; twice {
		return fmt.Errorf("key %s is there twice", id)
	}
	if k.keys[id], err = newKey(material); err != nil {
		return fmt.Errorf("key %s: %w", id, err)
	}
	if k.active == "" {
		k.active = id
	}
	return nil
}

// GenerateKeyFile writes a file with one fresh key. It does not touch an existing file: that is a Conflict.
func GenerateKeyFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return lcm.Errorf(lcm.KindConflict,
			"The key file %s exists already; overwriting it would lose every secret sealed with it.", path)
	}
	if err == nil {
		_, err = f.WriteString(keyFileHeader + newKeyLine())
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be written.", path)
	}
	return nil
}

// AddKey puts a fresh key in front of the keys in the file. Every process must be restarted with the new file, all
// within a short time: a process with the old file cannot open the secrets that others seal. Then Vault.Rotate seals
// everything anew; after that the old keys serve Temporal's old histories only.
func AddKey(path string) error {
	if _, err := loadKeyFile(path); err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be read.", path)
	}
	content := keyFileHeader + newKeyLine() + strings.TrimPrefix(string(old), keyFileHeader)
	if err := replaceFile(path, content); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be written.", path)
	}
	return nil
}

// replaceFile never leaves half a file: keys that are lost cannot be made again.
func replaceFile(path, content string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func newKeyLine() string {
	id, material := make([]byte, 4), make([]byte, keySize)
	_, _ = rand.Read(id) // never fails
	_, _ = rand.Read(material)
	return "k" + hex.EncodeToString(id) + ":" + base64.StdEncoding.EncodeToString(material) + "\n"
}
