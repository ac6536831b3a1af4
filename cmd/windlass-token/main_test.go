//go:build cgo

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miekg/pkcs11"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/token"
)

const (
	softHSM = "/usr/lib/softhsm/libsofthsm2.so"
	pin     = "7391846205"
)

// request makes a token, and returns a request to wrap a key there.
func request(t *testing.T) token.Request {
	t.Helper()
	require.FileExists(t, softHSM, "tools/prerequisites.sh test installs it")
	dir := t.TempDir()
	conf := filepath.Join(dir, "softhsm2.conf")
	require.NoError(t, os.WriteFile(conf, []byte("directories.tokendir = "+dir+"\n"), 0o600))
	t.Setenv("SOFTHSM2_CONF", conf)
	out, err := exec.CommandContext(t.Context(), "softhsm2-util", "--init-token", "--free", "--label", "windlass",
		"--pin", pin, "--so-pin", pin).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return token.Request{
		Do: token.Wrap, Module: softHSM, Token: "windlass", Key: "wrapping", PIN: pin,
		Keys: []token.DataKey{{ID: "k1", Material: bytes.Repeat([]byte{7}, keySize)}},
	}
}

// call sends a request through serve.
func call(t *testing.T, r token.Request) (a token.Answer) {
	t.Helper()
	in, err := json.Marshal(r)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, serve(bytes.NewReader(in), &out))
	require.NoError(t, json.Unmarshal(out.Bytes(), &a))
	return a
}

func TestServe_wrapsAndUnwraps(t *testing.T) {
	r := request(t)
	clear := r.Keys
	r.MakeKey = true
	wrapped := call(t, r)
	require.Nil(t, wrapped.Failure)
	require.NotEmpty(t, wrapped.Serial)
	assert.Len(t, wrapped.Keys[0].Material, nonceSize+keySize+tagSize)
	assert.NotContains(t, string(wrapped.Keys[0].Material), string(clear[0].Material))

	r.Do, r.MakeKey, r.Keys = token.Unwrap, false, wrapped.Keys
	assert.Equal(t, clear, call(t, r).Keys)
	r.Keys = []token.DataKey{{ID: "k2", Material: wrapped.Keys[0].Material}}
	assert.Equal(t, &token.Failure{Code: token.OtherKey, Detail: "k2"}, call(t, r).Failure, "an exchanged key")
	r.Keys = []token.DataKey{{ID: "k1", Material: wrapped.Keys[0].Material[:nonceSize+tagSize]}}
	assert.Equal(t, &token.Failure{Code: token.OtherKey, Detail: "k1"}, call(t, r).Failure, "a key that is cut off")
}

func TestServe_wrapsOnlyByOneKeyThatStays(t *testing.T) {
	r := request(t)
	var a token.Answer
	r.MakeKey = true // a session that may write
	s, failure := open(r, &a)
	require.Nil(t, failure)
	makeKey := func(stays bool) {
		_, err := s.module.GenerateKey(s.handle, []*pkcs11.Mechanism{pkcs11.NewMechanism(pkcs11.CKM_AES_KEY_GEN, nil)},
			[]*pkcs11.Attribute{
				pkcs11.NewAttribute(pkcs11.CKA_LABEL, "wrapping"), pkcs11.NewAttribute(pkcs11.CKA_TOKEN, true),
				pkcs11.NewAttribute(pkcs11.CKA_VALUE_LEN, keySize), pkcs11.NewAttribute(pkcs11.CKA_EXTRACTABLE, !stays),
				pkcs11.NewAttribute(pkcs11.CKA_SENSITIVE, stays),
			})
		require.NoError(t, err)
	}
	makeKey(false)
	s.close()
	r.MakeKey = false
	assert.Equal(t, &token.Failure{Code: token.Extractable}, call(t, r).Failure)

	r.MakeKey = true
	assert.Equal(t, &token.Failure{Code: token.KeyExists}, call(t, r).Failure)
	s, failure = open(r, &a)
	require.Nil(t, failure)
	makeKey(true)
	s.close()
	r.Key, r.MakeKey = "wrapping", false
	assert.Equal(t, &token.Failure{Code: token.TwoKeys}, call(t, r).Failure)
}

func TestServe_quotesNoRequest(t *testing.T) {
	for _, in := range []string{"", "{", `{"pin": 7391846205}`, `{"do": "7391846205"}`} {
		err := serve(strings.NewReader(in), &bytes.Buffer{})
		require.ErrorContains(t, err, "do not start it by hand")
		assert.NotContains(t, err.Error(), pin)
	}
}
