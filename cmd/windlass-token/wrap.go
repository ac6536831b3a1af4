//go:build cgo

package main

import (
	"crypto/rand"

	"github.com/miekg/pkcs11"

	"github.com/windlass-nfv/windlass/internal/token"
)

// The sizes of AES-GCM, in bytes.
const (
	keySize   = 32
	nonceSize = 12
	tagSize   = 16
)

// bound is authenticated together with a data key: a wrapped key opens under its own id only.
func bound(id string) []byte { return []byte("windlass data key " + id) }

func (s *session) do(r token.Request) ([]token.DataKey, *token.Failure) {
	wrapping, failure := s.wrappingKey(r)
	if failure != nil {
		return nil, failure
	}
	work := s.unwrap
	if r.Do == token.Wrap {
		work = s.wrap
	}
	done := make([]token.DataKey, len(r.Keys))
	for i, k := range r.Keys {
		if done[i], failure = work(wrapping, k); failure != nil {
			return nil, failure
		}
	}
	return done, nil
}

// wrappingKey finds the wrapping key, or makes it.
func (s *session) wrappingKey(r token.Request) (pkcs11.ObjectHandle, *token.Failure) {
	err := s.module.FindObjectsInit(s.handle, []*pkcs11.Attribute{
		pkcs11.NewAttribute(pkcs11.CKA_CLASS, pkcs11.CKO_SECRET_KEY), pkcs11.NewAttribute(pkcs11.CKA_KEY_TYPE, pkcs11.CKK_AES),
		pkcs11.NewAttribute(pkcs11.CKA_LABEL, r.Key),
	})
	if err != nil {
		return 0, failed(err)
	}
	found, _, err := s.module.FindObjects(s.handle, 2)
	if err == nil {
		err = s.module.FindObjectsFinal(s.handle)
	}
	switch {
	case err != nil:
		return 0, failed(err)
	case r.MakeKey && len(found) > 0:
		return 0, &token.Failure{Code: token.KeyExists}
	case r.MakeKey:
		return s.makeKey(r.Key)
	case len(found) == 0:
		return 0, &token.Failure{Code: token.NoKey}
	case len(found) > 1:
		return 0, &token.Failure{Code: token.TwoKeys}
	case r.Do == token.Wrap && !s.stays(found[0]):
		return 0, &token.Failure{Code: token.Extractable}
	}
	return found[0], nil
}

// stays reports whether the key can never leave the token.
func (s *session) stays(key pkcs11.ObjectHandle) bool {
	values, err := s.module.GetAttributeValue(s.handle, key, []*pkcs11.Attribute{
		pkcs11.NewAttribute(pkcs11.CKA_EXTRACTABLE, nil), pkcs11.NewAttribute(pkcs11.CKA_SENSITIVE, nil),
	})
	yes := func(v []byte) bool { return len(v) == 1 && v[0] != 0 }
	return err == nil && !yes(values[0].Value) && yes(values[1].Value)
}

func (s *session) makeKey(label string) (pkcs11.ObjectHandle, *token.Failure) {
	id := make([]byte, 8) // other programs name keys by their id
	_, _ = rand.Read(id)  // never fails
	generate := []*pkcs11.Mechanism{pkcs11.NewMechanism(pkcs11.CKM_AES_KEY_GEN, nil)}
	key, err := s.module.GenerateKey(s.handle, generate, []*pkcs11.Attribute{
		pkcs11.NewAttribute(pkcs11.CKA_CLASS, pkcs11.CKO_SECRET_KEY), pkcs11.NewAttribute(pkcs11.CKA_KEY_TYPE, pkcs11.CKK_AES),
		pkcs11.NewAttribute(pkcs11.CKA_VALUE_LEN, keySize), pkcs11.NewAttribute(pkcs11.CKA_TOKEN, true),
		pkcs11.NewAttribute(pkcs11.CKA_LABEL, label), pkcs11.NewAttribute(pkcs11.CKA_ID, id),
		pkcs11.NewAttribute(pkcs11.CKA_PRIVATE, true), pkcs11.NewAttribute(pkcs11.CKA_SENSITIVE, true),
		pkcs11.NewAttribute(pkcs11.CKA_EXTRACTABLE, false),
		pkcs11.NewAttribute(pkcs11.CKA_ENCRYPT, true), pkcs11.NewAttribute(pkcs11.CKA_DECRYPT, true),
	})
	if err != nil {
		return 0, failed(err)
	}
	return key, nil
}

// wrap encrypts a data key. Its nonce is in front, its tag is behind.
func (s *session) wrap(key pkcs11.ObjectHandle, clear token.DataKey) (token.DataKey, *token.Failure) {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // never fails
	gcm := pkcs11.NewGCMParams(nonce, bound(clear.ID), tagSize*8)
	defer gcm.Free()
	err := s.module.EncryptInit(s.handle, []*pkcs11.Mechanism{pkcs11.NewMechanism(pkcs11.CKM_AES_GCM, gcm)}, key)
	if err != nil {
		return token.DataKey{}, failed(err)
	}
	sealed, err := s.module.Encrypt(s.handle, clear.Material)
	if err != nil {
		return token.DataKey{}, failed(err)
	}
	if own := gcm.IV(); len(own) == nonceSize {
		nonce = own // some tokens insist on a nonce of their own
	}
	return token.DataKey{ID: clear.ID, Material: append(nonce, sealed...)}, nil
}

func (s *session) unwrap(key pkcs11.ObjectHandle, wrapped token.DataKey) (token.DataKey, *token.Failure) {
	other := &token.Failure{Code: token.OtherKey, Detail: wrapped.ID}
	if len(wrapped.Material) <= nonceSize+tagSize {
		return token.DataKey{}, other
	}
	gcm := pkcs11.NewGCMParams(wrapped.Material[:nonceSize], bound(wrapped.ID), tagSize*8)
	defer gcm.Free()
	err := s.module.DecryptInit(s.handle, []*pkcs11.Mechanism{pkcs11.NewMechanism(pkcs11.CKM_AES_GCM, gcm)}, key)
	if err != nil {
		return token.DataKey{}, failed(err)
	}
	clear, err := s.module.Decrypt(s.handle, wrapped.Material[nonceSize:])
	switch {
	case err == nil:
		return token.DataKey{ID: wrapped.ID, Material: clear}, nil
	case is(err, pkcs11.CKR_DEVICE_ERROR, pkcs11.CKR_DEVICE_REMOVED, pkcs11.CKR_DEVICE_MEMORY, pkcs11.CKR_HOST_MEMORY,
		pkcs11.CKR_SESSION_HANDLE_INVALID, pkcs11.CKR_TOKEN_NOT_PRESENT):
		return token.DataKey{}, failed(err)
	}
	return token.DataKey{}, other // tokens have several answers to a wrong tag
}
