package openstack

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// stalled limits the time in which Glance reads nothing of an upload. An image may have any size, so the whole upload
// has no limit.
const stalled = 10 * time.Minute

// sendImage uploads the content of an image. It does not use gophercloud's client, which limits the time of a whole
// call.
func (c *Cloud) sendImage(ctx context.Context, id string, size int64, content io.Reader, doing string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watch := time.AfterFunc(stalled, func() {
		stop(lcm.Errorf(lcm.KindUnavailable, "OpenStack has accepted no data for %s when asked to %s.", stalled, doing))
	})
	defer watch.Stop()
	moves := readerFunc(func(p []byte) (int, error) {
		watch.Reset(stalled)
		return content.Read(p)
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.images.ServiceURL("images", id, "file"), moves)
	if err != nil {
		return translate(doing, err)
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("X-Auth-Token", c.provider.Token())
	client := http.Client{Transport: c.provider.HTTPClient.Transport, CheckRedirect: c.provider.HTTPClient.CheckRedirect}
	resp, err := client.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return translate(doing, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusNoContent {
		return nil
	}
	const longest = 4096
	body, _ := io.ReadAll(io.LimitReader(resp.Body, longest)) // the answer
	return translate(doing, gophercloud.ErrUnexpectedResponseCode{
		URL: req.URL.String(), Method: req.Method, Expected: []int{http.StatusNoContent}, Actual: resp.StatusCode, Body: body,
		ResponseHeader: resp.Header,
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
