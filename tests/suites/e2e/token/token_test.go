package token

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

// The exit codes of windlass.
const (
	exitError = 1
	exitPIN   = 4
)

// TestToken_wrapsTheKeysOfAnInstallation takes an installation with a plain key file to a token, rotates its keys there,
// and takes it back.
func TestToken_wrapsTheKeysOfAnInstallation(t *testing.T) {
	b := newBed(t)
	b.setenv("WINDLASS_DATABASE_URL", pgtest.URL(t))
	b.setenv("WINDLASS_NOTIFICATIONS_TEST_CALLBACK", "false")
	b.newToken("windlass")
	b.does("keys", "generate", b.keys)
	s := b.start()
	s.sealOne()
	s.stop()

	require.Contains(t, b.does("keys", "wrap", b.keys, "--token-label", "windlass", "--key-label", "wrapping", "--make-key"),
		`Nobody can read it without the key "wrapping" in the token "windlass"`)
	require.Regexp(t, `\nversion 1\nwrapped-by pkcs11:token=windlass;serial=[0-9a-f]+;object=wrapping;type=secret-key\n`, b.content())
	require.Equal(t, 1, b.opens())
	s = b.start()
	s.sealOne()

	// The token is needed for the start only.
	require.NoError(t, os.Rename(b.file("tokens"), b.file("away")))
	require.NoError(t, os.Mkdir(b.file("tokens"), 0o700))
	s.sealOne()
	b.refuses(exitError, "sees no token", "keys", "rotate")
	b.refuses(exitError, "sees no token", "apiserver")
	b.refuses(exitError, "sees no token", "worker")
	require.NoError(t, os.Remove(b.file("tokens")))
	require.NoError(t, os.Rename(b.file("away"), b.file("tokens")))
	s.stop()
	require.Equal(t, 3, b.opens())

	old := b.content()
	b.does("keys", "add", b.keys)
	require.Len(t, strings.Split(b.content(), "\n"), len(strings.Split(old, "\n"))+1, "one key more")
	s = b.start()
	s.sealOne()
	require.Regexp(t, `^Sealed anew with key k[0-9a-f]{8}: 3 secrets\.\n$`, b.does("keys", "rotate"))
	s.stop()
	require.Equal(t, 4, b.opens())

	// Another key in the token wraps the keys, and then none.
	b.does("keys", "wrap", b.keys, "--token-label", "windlass", "--key-label", "second", "--make-key")
	require.Contains(t, b.content(), ";object=second;")
	require.Equal(t, 4, b.opens())
	b.does("keys", "unwrap", b.keys)
	b.setenv("WINDLASS_KEYS_TOKEN_MODULE", "")
	b.setenv("WINDLASS_KEYS_TOKEN_PIN_FILE", "")
	b.start().stop()
	require.Equal(t, 4, b.opens())
}

// opens opens all sealed secrets with the keys in the file, and returns their number.
func (b *bed) opens() (n int) {
	b.Helper()
	b.Setenv("SOFTHSM2_CONF", b.env["SOFTHSM2_CONF"])
	keys, err := secrets.LoadKeyring(b.Context(), secrets.Source{File: b.keys, Token: secrets.Token{
		Module: b.env["WINDLASS_KEYS_TOKEN_MODULE"], PINFile: b.file("pin"),
		Program: filepath.Join(filepath.Dir(b.windlass), "windlass-token"),
	}})
	require.NoError(b, err)
	db, err := store.Open(b.Context(), b.env["WINDLASS_DATABASE_URL"])
	require.NoError(b, err)
	defer db.Close()
	for sealed, err := range db.AllSealed(b.Context()) {
		require.NoError(b, err)
		clear, err := keys.Open(sealed.Ref, sealed.KeyID, sealed.Sealed)
		require.NoError(b, err)
		require.Contains(b, string(clear), password)
		n++
	}
	return n
}

// content is the text of the key file. It has no PIN.
func (b *bed) content() string {
	b.Helper()
	text, err := os.ReadFile(b.keys)
	require.NoError(b, err)
	require.NotContains(b, string(text), pin)
	return string(text)
}

// TestToken_refusesWhatItCannotUnwrap disturbs the token, and looks that Windlass says so and leaves the file alone.
func TestToken_refusesWhatItCannotUnwrap(t *testing.T) {
	t.Parallel()
	generate := []string{"--token-label", "windlass", "--key-label", "wrapping", "--make-key"}
	for name, c := range map[string]struct {
		disturb func(*bed)
		code    int
		want    string
	}{
		"wrong PIN": {
			func(b *bed) { b.write("pin", wrongPIN) }, exitPIN, `The token "windlass" refused the PIN from the file`,
		},
		"PIN that is too short": {func(b *bed) { b.write("pin", "1") }, exitPIN, `refused the PIN`},
		"PIN that others read": {
			func(b *bed) { require.NoError(b, os.Chmod(b.file("pin"), 0o644)) }, exitError, "has mode 0644: others can read it",
		},
		"key deleted": {(*bed).deleteKeys, exitError, `has no AES key with the label "wrapping". If somebody has deleted it`},
		"key replaced": {
			func(b *bed) {
				b.deleteKeys()
				b.does(append([]string{"keys", "generate", b.file("other")}, generate...)...)
			}, exitError, "another key of this label wrapped it",
		},
		"another token of that name": {
			func(b *bed) {
				require.NoError(b, os.RemoveAll(b.file("tokens")))
				require.NoError(b, os.Mkdir(b.file("tokens"), 0o700))
				b.newToken("windlass")
				b.does(append([]string{"keys", "generate", b.file("other")}, generate...)...)
			}, exitError, "The keys were wrapped in another token, with the serial number",
		},
		"two tokens of that name": {func(b *bed) { b.newToken("windlass") }, exitError, `Several tokens have the label "windlass"`},
		"token of another name": {
			func(b *bed) {
				require.NoError(b, os.RemoveAll(b.file("tokens")))
				require.NoError(b, os.Mkdir(b.file("tokens"), 0o700))
				b.newToken("backup")
			}, exitError, `has no token with the label "windlass"; it has ["backup"]`,
		},
		"mechanism not supported": {
			func(b *bed) {
				b.write("softhsm2.conf", "directories.tokendir = "+b.file("tokens")+"\nslots.mechanisms = CKM_AES_KEY_GEN,CKM_AES_CBC\n")
			}, exitError, `does not support the mechanism AES-GCM`,
		},
		"no module": {
			func(b *bed) { b.setenv("WINDLASS_KEYS_TOKEN_MODULE", b.file("absent.so")) }, exitError, "absent.so cannot be read",
		},
		"module of something else": {
			func(b *bed) { b.setenv("WINDLASS_KEYS_TOKEN_MODULE", b.file("pin")) }, exitError, "is no PKCS #11 module that",
		},
		"module that does not start": {
			func(b *bed) { b.setenv("SOFTHSM2_CONF", b.file("absent")) }, exitError, "does not start: pkcs11: ",
		},
		"no setting": {
			func(b *bed) { b.setenv("WINDLASS_KEYS_TOKEN_MODULE", "") }, exitError, "set keys.token.module to",
		},
		"exchanged keys": {(*bed).exchangeKeys, exitError, "somebody has changed the key file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.newToken("windlass")
			b.does(append([]string{"keys", "generate", b.keys}, generate...)...)
			b.does("keys", "add", b.keys)
			c.disturb(b)
			before := b.content()
			b.refuses(c.code, c.want, "keys", "add", b.keys)
			b.refuses(c.code, c.want, "keys", "unwrap", b.keys)
			b.setenv("WINDLASS_DATABASE_URL", "postgres://nobody@127.0.0.1:1/none") // the keys are read first
			b.refuses(c.code, c.want, "apiserver")
			require.Equal(t, before, b.content())
		})
	}
}

// deleteKeys deletes the keys in the token: SoftHSM keeps each object in a file.
func (b *bed) deleteKeys() {
	objects, err := filepath.Glob(b.file("tokens/*/*.object"))
	require.NoError(b, err)
	deleted := 0
	for _, o := range objects {
		if filepath.Base(o) != "token.object" {
			require.NoError(b, os.Remove(o))
			deleted++
		}
	}
	require.Equal(b, 1, deleted)
}

// exchangeKeys gives each of two keys the id of the other one.
func (b *bed) exchangeKeys() {
	line := regexp.MustCompile(`(?m)^(k[0-9a-f]{8}):(\S+)\n(k[0-9a-f]{8}):(\S+)$`)
	changed := line.ReplaceAllString(b.content(), "$1:$4\n$3:$2")
	require.NotEqual(b, b.content(), changed)
	b.write("keys", changed)
}

func TestToken_wrapsOnlyByTheNamedKey(t *testing.T) {
	b := newBed(t)
	b.newToken("windlass")
	b.does("keys", "generate", b.keys)
	before := b.content()
	b.refuses(exitError, `has no AES key with the label "wrapping"`, "keys", "wrap", b.keys, "--token-label", "windlass",
		"--key-label", "wrapping")
	b.refuses(2, "--token-label and --key-label go together", "keys", "wrap", b.keys, "--token-label", "windlass")
	b.refuses(2, "--token-label and --key-label go together", "keys", "generate", b.file("new"), "--make-key")
	require.NoFileExists(t, b.file("new"))
	b.refuses(exitError, "are not wrapped", "keys", "unwrap", b.keys)
	require.Equal(t, before, b.content())
	b.does("keys", "wrap", b.keys, "--token-label", "windlass", "--key-label", "wrapping", "--make-key")
	b.refuses(exitError, "has an AES key with the label \"wrapping\" already", "keys", "wrap", b.keys, "--token-label",
		"windlass", "--key-label", "wrapping", "--make-key")
}
