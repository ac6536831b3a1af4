package activitytest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// AssertNoSecret checks that no secret is in the process lists of nodes or in Windlass's step log.
func AssertNoSecret(t *testing.T, fake *FakeSite, secrets *Secrets, output *Output) {
	t.Helper()
	for ref, secret := range secrets.Values {
		assert.NotContains(t, strings.Join(output.Shown, "\n"), secret, ref)
		for _, cmd := range fake.Ran {
			assert.NotContains(t, cmd.Script, secret, ref)
			assert.NotContains(t, cmd.ID, secret, ref)
			if strings.Contains(string(cmd.Stdin), secret) {
				assert.Contains(t, cmd.Mask, secret)
			}
		}
	}
	assert.NotContains(t, strings.Join(output.Shown, "\n"), "windlass-result")
}
