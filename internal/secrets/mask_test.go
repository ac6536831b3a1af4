package secrets_test

import (
	"encoding/base64"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/windlass-nfv/windlass/internal/secrets"
)

func TestMasker_masksEveryForm(t *testing.T) {
	t.Parallel()
	const secret = `hun/ter 2"+&é`
	m := secrets.NewMasker(secret, "", "ab",
		"-----BEGIN X PRIVATE KEY-----\nbGluZW9mYmFzZTY0\n-----END X PRIVATE KEY-----")
	for _, line := range []string{
		"password is " + secret + ".",
		url.QueryEscape(secret), url.PathEscape(secret), "http://" + url.UserPassword("u", secret).String() + "@host",
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
		`{"password": "hun/ter 2\"+\u0026é"}`,
		"key bGluZW9mYmFzZTY0",
	} {
		masked := m.Mask(line)
		assert.Contains(t, masked, "***", line)
		for _, part := range []string{"hun", "ter", "aHVu", "bGlu"} {
			assert.NotContains(t, masked, part, line)
		}
	}
	assert.Equal(t, "-----BEGIN X PRIVATE KEY----- ab", m.Mask("-----BEGIN X PRIVATE KEY----- ab"))
	assert.Equal(t, "as it is", secrets.Masker{}.Mask("as it is"))
	assert.Equal(t, "as it is", secrets.NewMasker().Mask("as it is"))
}

func TestMasker_longerSecretLeavesNoEndBehind(t *testing.T) {
	t.Parallel()
	m := secrets.NewMasker("hunter2", "hunter2000")
	assert.Equal(t, "*** ***", m.Mask("hunter2000 hunter2"))
}

func TestMasker_findsSecretsInsideBase64(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ -~]{8,40}`).Draw(t, "secret")
		before := rapid.StringMatching(`[a-z]{0,9}:`).Draw(t, "before")
		after := rapid.StringMatching(`[a-z]{0,9}`).Draw(t, "after")
		m := secrets.NewMasker(secret)
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			masked := m.Mask(encoding.EncodeToString([]byte(before + secret + after)))
			assert.Contains(t, masked, "***")
		}
		assert.NotContains(t, m.Mask(before+secret+after), secret)
	})
}
