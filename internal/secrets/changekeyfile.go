package secrets

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return exists
	}
	if err == nil {
		_, err = f.WriteString(content)
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be written.", path)
	}
	return nil
}

// AddKey puts a fresh key in front of the keys in the file, and wraps it if the others are wrapped. Every process must
// be restarted with the new file, all within a short time: a process with the old file cannot open the secrets that
// others seal. Then Vault.Rotate seals everything anew; after that the old keys serve Temporal's old histories only.
func AddKey(ctx context.Context, path string, t Token) error {
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

// replaceFile never leaves half a file: keys that are lost cannot be made again.
func replaceFile(path, content string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-") // mode 0600
	if err == nil {
		_, err = f.WriteString(content)
		if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The key file %s cannot be written.", path)
	}
	return nil
}

func freshKey() dataKey {
	id, material := make([]byte, 4), make([]byte, keySize)
	_, _ = rand.Read(id) // never fails
	_, _ = rand.Read(material)
	return dataKey{"k" + hex.EncodeToString(id), material}
}
