package secrets_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/token"
)

// actsAs makes this test binary act as windlass-token; see TestMain.
const actsAs = "TEST_TOKEN_ACTS_AS"

// actAsToken answers with what as says: a code of a failure, or one of the cases below.
func actAsToken(as string) int {
	var r token.Request
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		return 1
	}
	answer := token.Answer{Serial: "serial2"}
	switch as {
	case "dies":
		_, _ = io.WriteString(os.Stderr, "module: PIN "+r.PIN)
		return 11
	case "babbles":
		_, _ = io.WriteString(os.Stdout, "PIN "+r.PIN)
		return 0
	case "forgets":
	case "wraps":
		answer.Keys = r.Keys
		for _, v := range os.Environ() { // none of Windlass's secrets may be here
			if strings.Contains(v, "1234567") {
				return 1
			}
		}
	default:
		answer.Failure = &token.Failure{Code: token.Code(as), Detail: "DETAIL-OF-TOKEN"}
		if answer.Failure.Code == token.OtherKey {
			answer.Failure.Detail = "k1"
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(answer)
	return 0
}

const wrappedKeys = `# comment
version 1
wrapped-by pkcs11:token=my%20token;serial=serial1;object=a%3Bb;type=secret-key
k1:c29tZXRoaW5n
`

func wrapped(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// acting returns a token whose program is this test binary.
func acting(t *testing.T, as string) secrets.Token {
	t.Helper()
	own, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(actsAs, as)
	t.Setenv("TEST_PIN", "1234567")
	t.Setenv("WINDLASS_DATABASE_URL", "postgres://u:1234567@h/d")
	return secrets.Token{Module: own, PINEnv: "TEST_PIN", Program: own}
}

func TestToken_saysWhatFailedAndWhatToDo(t *testing.T) {
	for as, want := range map[string]struct {
		text string
		pin  bool
	}{
		string(token.BadModule):    {text: "does not start: DETAIL-OF-TOKEN. Its vendor's documentation"},
		string(token.NoToken):      {text: `sees no token; the keys are wrapped by a key in the token "my token". Connect`},
		string(token.TwoTokens):    {text: `Several tokens have the label "my token". Give them different labels`},
		string(token.NoPIN):        {text: "has no PIN for its user yet. Set the PIN"},
		string(token.WrongPIN):     {text: "refused the PIN from the environment variable TEST_PIN. Windlass tried it once.", pin: true},
		string(token.LastTry):      {text: "Windlass did not try the PIN from the environment variable TEST_PIN.", pin: true},
		string(token.Locked):       {text: "has locked itself after too many wrong PINs. Its security officer", pin: true},
		string(token.NoMechanism):  {text: "does not support the mechanism AES-GCM (CKM_AES_GCM)"},
		string(token.NoKey):        {text: `has no AES key with the label "a;b". If somebody has deleted it, restore it`},
		string(token.TwoKeys):      {text: `several AES keys with the label "a;b"`},
		string(token.KeyExists):    {text: `has an AES key with the label "a;b" already`},
		string(token.Extractable):  {text: `The key "a;b" can leave the token "my token"`},
		string(token.OtherKey):     {text: "with the serial number serial1; this one has serial2. Connect that token"},
		string(token.TokenFailure): {text: "answered DETAIL-OF-TOKEN. Check the token"},
		"dies":                     {text: "ended without an answer"},
		"babbles":                  {text: "from the same release"},
		"forgets":                  {text: "of another release than windlass"},
		"a code of the future":     {text: `The token "my token" failed: a code of the future.`},
	} {
		t.Run(as, func(t *testing.T) {
			file := wrapped(t, wrappedKeys)
			_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: file, Token: acting(t, as)})
			e, ok := errors.AsType[*lcm.Error](err)
			require.True(t, ok, "%v", err)
			assert.Contains(t, e.Detail, want.text)
			assert.Equal(t, want.pin, secrets.PINRefused(err))
			assert.NotContains(t, err.Error(), "1234567")
			for _, word := range []string{"TOKEN ", "KEY ", "MODULE", "PLACE"} {
				assert.NotContains(t, e.Detail, word, "a word that is to be replaced")
			}
		})
	}
}

func TestToken_programGetsNoSecretsInItsEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	w := secrets.Wrapping{By: secrets.WrappingKey{Token: "my token", Key: "a;b=c&d"}, Token: acting(t, "wraps")}
	require.NoError(t, secrets.GenerateKeyFile(t.Context(), path, &w))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), "\nwrapped-by pkcs11:token=my%20token;serial=serial2;object=a%3Bb=c%26d;type=secret-key\n")
	require.NoError(t, secrets.AddKey(t.Context(), path, w.Token))
	_, err = secrets.LoadKeyring(t.Context(), secrets.Source{File: path, Token: w.Token})
	require.NoError(t, err)
}

func TestToken_isAskedOnlyWithModuleProgramAndPIN(t *testing.T) {
	file, whole := wrapped(t, wrappedKeys), acting(t, "wraps")
	pinFile := filepath.Join(t.TempDir(), "pin")
	require.NoError(t, os.WriteFile(pinFile, []byte("1234567\n"), 0o600))
	for want, change := range map[string]func(*secrets.Token){
		"set keys.token.module":              func(t *secrets.Token) { t.Module = "" },
		"PKCS #11 module /nowhere/m.so":      func(t *secrets.Token) { t.Module = "/nowhere/m.so" },
		"`go tool task build`":               func(t *secrets.Token) { t.Program = "/nowhere/windlass-token" },
		"cannot be started":                  func(t *secrets.Token) { t.Program = pinFile },
		"environment variable TEST_ABSENT":   func(t *secrets.Token) { t.PINEnv = "TEST_ABSENT" },
		"file with the token's PIN /nowhere": func(t *secrets.Token) { t.PINFile = "/nowhere/pin" },
		"/dev/null is not a regular file":    func(t *secrets.Token) { t.PINFile = "/dev/null" },
	} {
		changed := whole
		change(&changed)
		_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: file, Token: changed})
		require.ErrorContains(t, err, want)
		assert.False(t, secrets.PINRefused(err))
	}
	require.NoError(t, os.Chmod(pinFile, 0o644))
	_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: file, Token: secrets.Token{
		Module: whole.Module, Program: whole.Program, PINFile: pinFile,
	}})
	require.ErrorContains(t, err, "chmod 600")
}

func TestWrappedFile_reportsAllMistakesWithoutShowingKeys(t *testing.T) {
	whole := acting(t, "wraps")
	path := wrapped(t, "version 1\nwrapped-by pkcs11:object=x\nk1:!!hunter2\nbad id:hunter2\nk2:aHVudGVyMg==\nk2:aHVudGVyMg==\n")
	_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: path, Token: whole})
	e, ok := errors.AsType[*lcm.Error](err)
	require.True(t, ok, "%v", err)
	require.Len(t, e.Problems, 4)
	assert.Equal(t, path+" line 2", e.Problems[0].Path)
	assert.NotContains(t, err.Error(), "hunter2")

	for content, want := range map[string]string{
		strings.Replace(wrappedKeys, "version 1", "version 2", 1): `has the version "2", and this release of Windlass reads version 1`,
		strings.Replace(wrappedKeys, "version 1\n", "", 1):        `has the version ""`,
	} {
		_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: wrapped(t, content), Token: whole})
		require.ErrorContains(t, err, want)
	}
	_, err = secrets.LoadKeyring(t.Context(), secrets.Source{File: wrapped(t, "version 1\nwrapped-by pkcs11:token=a;object=b\n"), Token: whole})
	e, ok = errors.AsType[*lcm.Error](err)
	require.True(t, ok, "%v", err)
	require.Len(t, e.Problems, 1)
	assert.Equal(t, "holds no key", e.Problems[0].Detail)
}

func TestUnwrapKeyFile_leavesAPlainFileAlone(t *testing.T) {
	t.Parallel()
	path := keyFile(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, lcm.KindConflict, lcm.KindOf(secrets.UnwrapKeyFile(t.Context(), path, secrets.Token{})))
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}
