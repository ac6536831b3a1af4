package secrets

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Wrapping says how a file is wrapped: by which key in which token, and whether the token makes that key now.
type Wrapping struct {
	By      WrappingKey
	MakeKey bool
	Token   Token
}

// GenerateKeyFile writes a file with one fresh key, wrapped unless w is nil: the key is never in a file in clear then.
// It does not touch an existing file: that is a Conflict.
func GenerateKeyFile(ctx context.Context, path string, w *Wrapping) error {
	exists := lcm.Errorf(lcm.KindConflict,
		"The key file %s exists already; overwriting it would lose every secret sealed with it.", path)
	if _, err := os.Lstat(path); err == nil {
		return exists // before a token makes a key for nothing
	}
	keys := []dataKey{freshKey()}
	content := plainText(keys)
	if w != nil {
		wrapped, err := w.Token.wrap(ctx, w.By, w.MakeKey, keys)
		if err != nil {
			return err
		}
		content = wrapped.text()
	}
	err := newFile(path, content)
	if errors.Is(err, fs.ErrExist) {
		return exists
	}
	return cannotWrite(err, path)
}

// AddKey puts a fresh key in front of the keys in the file, and wraps it if the others are wrapped. Every process must
// be restarted with the new file, all within a short time: a process with the old file cannot open the secrets that
// others seal. Then Vault.Rotate seals everything anew; after that the old keys serve Temporal's old histories only.
func AddKey(ctx context.Context, path string, t Token) error {
	unlock, err := lockFile(path)
	if err != nil {
		return err
	}
	defer unlock()
	// The keys are opened first: a file with a mistake, or a token with another key, stays as it is.
	if _, err := loadKeyFile(ctx, path, t); err != nil {
		return err
	}
	old, err := readOwn("key file", path)
	if err != nil {
		return err
	}
	fresh := []dataKey{freshKey()}
	lines := strings.Split(string(old), "\n")
	if !isWrapped(lines) {
		return replaceFile(path, plainText(fresh)+strings.TrimPrefix(string(old), keyFileHeader))
	}
	f, err := parseWrapped(path, lines)
	if err != nil {
		return err
	}
	added, err := t.wrap(ctx, f.by, false, fresh)
	if err != nil {
		return err
	}
	f.keys = slices.Concat(added.keys, f.keys)
	return replaceFile(path, f.text())
}

// WrapKeyFile wraps the keys of a file. Keys that are wrapped already are wrapped by the new key instead, which the same
// module and PIN must reach.
func WrapKeyFile(ctx context.Context, path string, w Wrapping) error {
	unlock, err := lockFile(path)
	if err != nil {
		return err
	}
	defer unlock()
	keys, err := loadKeyFile(ctx, path, w.Token)
	if err != nil {
		return err
	}
	f, err := w.Token.wrap(ctx, w.By, w.MakeKey, keys)
	if err != nil {
		return err
	}
	return replaceFile(path, f.text())
}

// UnwrapKeyFile makes a plain key file of a wrapped one.
func UnwrapKeyFile(ctx context.Context, path string, t Token) error {
	unlock, err := lockFile(path)
	if err != nil {
		return err
	}
	defer unlock()
	b, err := readOwn("key file", path)
	if err != nil {
		return err
	}
	if !isWrapped(strings.Split(string(b), "\n")) {
		return lcm.Errorf(lcm.KindConflict, "The keys in %s are not wrapped.", path)
	}
	keys, err := loadKeyFile(ctx, path, t)
	if err != nil {
		return err
	}
	return replaceFile(path, plainText(keys))
}

func freshKey() dataKey {
	id, material := make([]byte, 4), make([]byte, keySize)
	_, _ = rand.Read(id) // never fails
	_, _ = rand.Read(material)
	return dataKey{"k" + hex.EncodeToString(id), material}
}
