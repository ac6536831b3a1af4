package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// others are the servers of others that the how-to pages speak of, and where they are in the test.
type others struct {
	subscriber *subscriber
	addresses  *strings.Replacer
}

// newOthers starts a subscriber and a registry of images, and makes a network to which a VNF can move.
func newOthers(t *testing.T, b *bed) others {
	t.Helper()
	told, images := newSubscriber(t), startRegistry(t, nil)
	b.AddNetwork(t, "net1")
	return others{told, strings.NewReplacer(
		"https://nfvo.example/notifications", told.URL, `"password": "..."`, `"password": "`+subscriberPassword+`"`,
		"192.168.0.10:5000", "127.0.0.1:"+images.port(t),
	)}
}

// requireTold wants the subscriber to have got what the page asks for, and nothing else.
func (o others) requireTold(t *testing.T) {
	t.Helper()
	told := func() (summary []string) {
		summary, _ = o.subscriber.told()
		return summary
	}
	require.Eventually(t, func() bool { return slices.Contains(told(), "RESULT INSTANTIATE COMPLETED") },
		quick, 50*time.Millisecond)
	for _, event := range told() {
		require.Regexp(t, `^RESULT \w+ (COMPLETED|FAILED_TEMP)$`, event)
	}
}
