//go:build cgo

package main

import (
	"errors"
	"slices"

	"github.com/miekg/pkcs11"

	"github.com/windlass-nfv/windlass/internal/token"
)

// session is a session with one token, in which the user has logged in.
type session struct {
	module *pkcs11.Ctx
	slot   uint
	handle pkcs11.SessionHandle
}

// open loads the module, finds the token, and logs in once: a token locks itself after some wrong PINs.
func open(r token.Request, a *token.Answer) (*session, *token.Failure) {
	module := pkcs11.New(r.Module)
	if module == nil {
		return nil, &token.Failure{Code: token.BadModule}
	}
	s := &session{module: module}
	if err := module.Initialize(); err != nil {
		module.Destroy()
		return nil, &token.Failure{Code: token.BadModule, Detail: err.Error()}
	}
	if failure := s.logIn(r, a); failure != nil {
		s.close()
		return nil, failure
	}
	return s, nil
}

// close ends the session: the module logs out when its last session has ended.
func (s *session) close() {
	if s.handle != 0 {
		_ = s.module.CloseSession(s.handle)
	}
	_ = s.module.Finalize()
	s.module.Destroy()
}

func (s *session) logIn(r token.Request, a *token.Answer) *token.Failure {
	info, failure := s.find(r.Token)
	if failure != nil {
		return failure
	}
	a.Serial = info.SerialNumber
	// Before the PIN is tried: a token that cannot do the work must not count a wrong PIN for nothing.
	mechanisms, err := s.module.GetMechanismList(s.slot)
	if err != nil {
		return failed(err)
	}
	if !slices.ContainsFunc(mechanisms, func(m *pkcs11.Mechanism) bool { return m.Mechanism == pkcs11.CKM_AES_GCM }) {
		return &token.Failure{Code: token.NoMechanism}
	}
	flags := uint(pkcs11.CKF_SERIAL_SESSION)
	if r.MakeKey {
		flags |= pkcs11.CKF_RW_SESSION
	}
	if s.handle, err = s.module.OpenSession(s.slot, flags); err != nil {
		return failed(err)
	}
	switch err = s.module.Login(s.handle, pkcs11.CKU_USER, r.PIN); {
	case err == nil, is(err, pkcs11.CKR_USER_ALREADY_LOGGED_IN):
		return nil
	case is(err, pkcs11.CKR_PIN_INCORRECT, pkcs11.CKR_PIN_LEN_RANGE, pkcs11.CKR_PIN_INVALID):
		return &token.Failure{Code: token.WrongPIN}
	case is(err, pkcs11.CKR_USER_PIN_NOT_INITIALIZED):
		return &token.Failure{Code: token.NoPIN}
	case is(err, pkcs11.CKR_PIN_LOCKED):
		return &token.Failure{Code: token.Locked}
	}
	return failed(err)
}

// find finds the slot of the token, and refuses a token in which nobody may try a PIN.
func (s *session) find(label string) (found pkcs11.TokenInfo, _ *token.Failure) {
	slots, err := s.module.GetSlotList(true)
	if err != nil {
		return found, failed(err)
	}
	var labels []string
	here := 0
	for _, slot := range slots {
		info, err := s.module.GetTokenInfo(slot)
		if err != nil || info.Flags&pkcs11.CKF_TOKEN_INITIALIZED == 0 {
			continue // it went away, or nobody has set it up
		}
		if info.Label == label {
			s.slot, found = slot, info
			here++
		}
		labels = append(labels, info.Label)
	}
	switch {
	case here == 0:
		return found, &token.Failure{Code: token.NoToken, Tokens: labels}
	case here > 1:
		return found, &token.Failure{Code: token.TwoTokens}
	case found.Flags&pkcs11.CKF_USER_PIN_LOCKED != 0:
		return found, &token.Failure{Code: token.Locked}
	case found.Flags&pkcs11.CKF_USER_PIN_FINAL_TRY != 0:
		return found, &token.Failure{Code: token.LastTry}
	case found.Flags&pkcs11.CKF_USER_PIN_INITIALIZED == 0:
		return found, &token.Failure{Code: token.NoPIN}
	}
	return found, nil
}

// is reports whether the module answered with one of those codes.
func is(err error, codes ...uint) bool {
	answered, ok := errors.AsType[pkcs11.Error](err)
	return ok && slices.Contains(codes, uint(answered))
}

func failed(err error) *token.Failure {
	return &token.Failure{Code: token.TokenFailure, Detail: err.Error()}
}
