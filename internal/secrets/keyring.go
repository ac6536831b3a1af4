// Package secrets seals passwords, keys and tokens before they are stored, opens them where they are
// used, and keeps them out of documents, logs and Temporal's histories.
package secrets

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// keySize is the key size of AES-256.
const keySize = 32

// The uses of a key. A separate key is derived for each use. So a text that was sealed for one use never opens as the
// other, and the bound on random nonces counts for each use alone.
const (
	useSecrets  = "windlass stored secrets"
	usePayloads = "windlass temporal payloads"
)

// Keyring holds the keys of an installation. The first is active: it seals. The others only open secrets from before a
// rotation.
type Keyring struct {
	active string
	keys   map[string]key
}

type key struct {
	secrets, payloads cipher.AEAD
}

func newKey(material []byte) (key, error) {
	if len(material) != keySize {
		return key{}, errors.New("a key has 32 bytes")
	}
	derive := func(use string) (cipher.AEAD, error) {
		derived, err := hkdf.Key(sha256.New, material, nil, use, keySize)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(derived)
		if err != nil {
			return nil, err
		}
		return cipher.NewGCM(block)
	}
	forSecrets, err := derive(useSecrets)
	if err != nil {
		return key{}, err
	}
	forPayloads, err := derive(usePayloads)
	return key{secrets: forSecrets, payloads: forPayloads}, err
}

// Active is the id of the key that seals.
func (k *Keyring) Active() string { return k.active }

// Seal encrypts clear under the active key. The result opens under the same ref only, so that nobody can replace a row
// by another.
func (k *Keyring) Seal(ref lcm.SecretRef, clear []byte) (keyID string, sealed []byte, err error) {
	return k.active, seal(k.keys[k.active].secrets, clear, []byte(ref)), nil
}

// Open decrypts a text that Seal encrypted.
func (k *Keyring) Open(ref lcm.SecretRef, keyID string, sealed []byte) ([]byte, error) {
	key, ok := k.keys[keyID]
	if !ok {
		return nil, lcm.Errorf(lcm.KindDenied,
			"The secret %s was sealed with the key %q, which the key file does not have; add that key to it.", ref, keyID)
	}
	clear, err := open(key.secrets, sealed, []byte(ref))
	if err != nil {
		return nil, lcm.Wrap(lcm.KindDenied, err, "Windlass cannot open the secret %s with the key %q: the secret was "+
			"changed, or this is another key of the same name.", ref, keyID)
	}
	return clear, nil
}

// seal puts a random nonce in front.
func seal(aead cipher.AEAD, clear, data []byte) []byte {
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(clear)+aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return aead.Seal(nonce, nonce, clear, data)
}

func open(aead cipher.AEAD, sealed, data []byte) ([]byte, error) {
	n := aead.NonceSize()
	if len(sealed) < n {
		return nil, errors.New("sealed value too short")
	}
	return aead.Open(nil, sealed[:n], sealed[n:], data)
}
