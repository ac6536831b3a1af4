package secrets

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// SealMarker makes a text that a client gets and later returns: the client can neither read nor change it. It opens for
// the same purpose only.
func (v *Vault) SealMarker(purpose, clear string) (string, error) {
	keyID, sealed, err := v.keys.Seal(markerRef(purpose), []byte(clear))
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString([]byte(keyID)) + "." + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// OpenMarker opens a marker that SealMarker made. Its error hides why a marker does not open: the sender must not learn
// it.
func (v *Vault) OpenMarker(purpose, marker string) (string, error) {
	first, second, _ := strings.Cut(marker, ".")
	keyID, err1 := base64.RawURLEncoding.DecodeString(first)
	sealed, err2 := base64.RawURLEncoding.DecodeString(second)
	if err := errors.Join(err1, err2); err != nil {
		return "", lcm.Wrap(lcm.KindInvalid, err, "This server has not given out the marker.")
	}
	clear, err := v.keys.Open(markerRef(purpose), string(keyID), sealed)
	if err != nil {
		return "", lcm.Wrap(lcm.KindInvalid, err, "This server has not given out the marker.")
	}
	return string(clear), nil
}

// markerRef separates markers from the secrets of the vault, whose names do not begin with a colon.
func markerRef(purpose string) lcm.SecretRef { return lcm.SecretRef(":marker:" + purpose) }
