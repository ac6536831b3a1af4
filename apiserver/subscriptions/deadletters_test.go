package subscriptions_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestDeadLetters_areListedAndDeliveredAgain(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Notifications.TestCallback = false })
	id := lcm.SubscriptionID(b.Do("POST", "/vnflcm/v1/subscriptions",
		servertest.SubscriptionTo(nil)).Want(http.StatusCreated)["id"].(string))
	_, vnfdID := b.Onboard()
	instance := b.Create("/vnflcm/v1", vnfdID)
	ctx := t.Context()
	d, err := b.Store.NextDelivery(ctx, id)
	require.NoError(t, err)
	require.NoError(t, b.Store.Bury(ctx, d.ID, 0), "not tried yet")
	require.Empty(t, b.Do("GET", "/windlass/v1/dead_letters", nil).List())
	require.NoError(t, b.Store.NotDelivered(ctx, d.ID, "nobody there"))
	require.NoError(t, b.Store.Bury(ctx, d.ID, time.Hour), "too early")
	require.Empty(t, b.Do("GET", "/windlass/v1/dead_letters", nil).List())
	require.NoError(t, b.Store.Bury(ctx, d.ID, 0))

	letters := b.Do("GET", "/windlass/v1/dead_letters?limit=5", nil).List()
	require.Len(t, letters, 1)
	require.Equal(t, "nobody there", letters[0]["lastError"])
	require.Equal(t, string(id), letters[0]["subscriptionId"])
	require.True(t, strings.HasSuffix(instance, letters[0]["vnfInstanceId"].(string)))
	waiting, err := b.Store.Waiting(ctx)
	require.NoError(t, err)
	require.Empty(t, waiting)
	b.Do("GET", "/windlass/v1/dead_letters?after=x", nil).Problem(http.StatusBadRequest)

	news := b.Store.OutboxNews()
	path := "/windlass/v1/dead_letters/1/redeliver"
	b.Do("POST", path, nil).Want(http.StatusAccepted)
	<-news
	b.Do("POST", path, nil).Problem(http.StatusNotFound)
	b.Do("POST", "/windlass/v1/dead_letters/x/redeliver", nil).Problem(http.StatusNotFound)
	require.Len(t, b.Outbox(id), 1)
}
