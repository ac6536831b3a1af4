package openstack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

func (c *Cloud) signal(r *request, st hot.Stack) (reply, error) {
	return empty(http.StatusOK, c.heat.Signal(st, r.PathValue("resource")))
}

// signalURL is the URL that signals a resource and needs a token.
func (c *Cloud) signalURL(st hot.Stack, resource string) string {
	return c.stackLink(st) + "/resources/" + resource + "/signal"
}

// alarmURL is the URL that signals a resource without a token, like Heat's presigned URLs.
func (c *Cloud) alarmURL(st hot.Stack, resource string) string {
	arn := st.ARN() + "/resources/" + resource
	q := url.Values{"SignatureMethod": {"HmacSHA256"}, "SignatureVersion": {"2"}, "Signature": {c.sign(arn)}}
	return fmt.Sprintf("%s/heat-cfn/v1/signal/%s?%s", c.cfg.Endpoint, url.PathEscape(arn), q.Encode())
}

func (c *Cloud) sign(arn string) string {
	mac := hmac.New(sha256.New, []byte(c.seed.SigningKey))
	mac.Write([]byte(arn))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// alarm handles a signal at an alarm URL.
func (c *Cloud) alarm(r *request) (reply, error) {
	arn := r.PathValue("arn")
	if !hmac.Equal([]byte(c.sign(arn)), []byte(r.URL.Query().Get("Signature"))) {
		return reply{}, fail(http.StatusForbidden, "AccessDenied", "User is not authorized to perform action")
	}
	// arn:openstack:heat::<project>:stacks/<name>/<id>/resources/<resource>
	parts := strings.Split(arn, "/")
	head := strings.Split(arn, ":")
	if len(parts) != 5 || len(head) < 6 {
		return reply{}, badRequest("Invalid signal identifier")
	}
	st, err := c.heat.Find(head[4], parts[2])
	if err == nil {
		err = c.heat.Signal(st, parts[4])
	}
	return empty(http.StatusOK, err)
}
