package nfvo

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
)

// OrchestratorOptions say where the NFVO is, and how Windlass authenticates there.
type OrchestratorOptions struct {
	// Endpoint is the absolute URL below which the NFVO has its APIs, without a slash at its end.
	Endpoint string
	// Auth is nil when the NFVO wants none, or only a certificate.
	Auth *lcm.SubscriptionAuthentication
	// TLS has Windlass's certificate, and the authorities that the NFVO's comes from, now; nil is the system's own.
	TLS func() *tls.Config
	// Timeout bounds one request, except for archives; 0 means 30 s.
	Timeout time.Duration
	// Packages is the version of the NFVO's VNF package management, "v1" or "v2". MaxPackage bounds an archive, in bytes;
	// 0 means 8 GiB.
	Packages   string
	MaxPackage int64
}

// Orchestrator is the NFVO that Windlass asks for grants (SOL003 clause 9) and for VNF packages (clause 10).
type Orchestrator struct {
	endpoint string
	packages string
	auth     *lcm.SubscriptionAuthentication
	caller   *caller
	// streams is for archives, which take as long as they are large.
	streams    *caller
	maxPackage int64
}

const (
	defaultAskTimeout = 30 * time.Second
	// maxAnswer bounds an answer: a grant of a thousand servers has some hundred KiB.
	maxAnswer = 16 << 20
	// maxDetail bounds the quoted part of an NFVO's explanation.
	maxDetail = 1000
)

// NewOrchestrator makes a client. Nothing is called yet.
func NewOrchestrator(o OrchestratorOptions) *Orchestrator {
	if o.Timeout == 0 {
		o.Timeout = defaultAskTimeout
	}
	if o.MaxPackage == 0 {
		o.MaxPackage = defaultMaxSize
	}
	with := func(timeout time.Duration) *caller {
		return &caller{
			who: "The NFVO", http: newHTTP(timeout, o.TLS, nil), tokens: map[string]*oauth2.Token{},
			check: func(string) error { return nil }, // the operator configures the NFVO
		}
	}
	return &Orchestrator{
		endpoint: o.Endpoint, packages: o.Packages, auth: o.Auth, caller: with(o.Timeout), streams: with(0),
		maxPackage: o.MaxPackage,
	}
}

// Answer is an NFVO's answer to a request for a grant, or to a question about its progress.
type Answer struct {
	// Grant is nil while the NFVO has not decided; Location is where to ask then.
	Grant    *lcm.Grant
	Location string
	// Pause is how long the NFVO wants to be left alone; 0 when it says nothing of it.
	Pause time.Duration
}

// RequestGrant asks for a grant (clause 9.4.2). A refusal is Denied, an answer that cannot be understood is Broken or
// Invalid, and an error that may pass with time is Unavailable.
func (o *Orchestrator) RequestGrant(ctx context.Context, r GrantRequest) (Answer, error) {
	body, err := json.Marshal(r.body())
	if err != nil {
		return Answer{}, err
	}
	resp, err := o.call(ctx, http.MethodPost, o.endpoint+"/grant/v1/grants", r.APIVersion, body)
	if err != nil {
		return Answer{}, err
	}
	defer finish(resp)
	switch resp.StatusCode {
	case http.StatusCreated, http.StatusOK:
		return o.granted(resp, r.OpOccID)
	case http.StatusAccepted:
		location, err := o.location(resp.Header.Get("Location"))
		return Answer{Location: location, Pause: pauseOf(resp)}, err
	}
	return Answer{}, o.refusal(resp)
}

// ReadGrant asks for the NFVO's progress (clause 9.4.3). Errors are as in RequestGrant.
func (o *Orchestrator) ReadGrant(ctx context.Context, location string, id lcm.OpOccID, apiVersion int) (Answer, error) {
	resp, err := o.call(ctx, http.MethodGet, location, apiVersion, nil)
	if err != nil {
		return Answer{}, err
	}
	defer finish(resp)
	switch resp.StatusCode {
	case http.StatusOK:
		return o.granted(resp, id)
	case http.StatusAccepted:
		return Answer{Location: location, Pause: pauseOf(resp)}, nil
	case http.StatusNotFound:
		return Answer{}, lcm.Errorf(lcm.KindBroken, "The NFVO does not know the requested grant any more%s",
			colon(o.detail(resp)))
	}
	return Answer{}, o.refusal(resp)
}

// versions are the versions of the granting API, for the Version header. NFVOs that work with SOL003 v2.6.1, as Tacker
// speaks it, get none.
var versions = map[int]string{2: "1.4.0"}

func (o *Orchestrator) call(
	ctx context.Context, method, uri string, apiVersion int, body []byte,
) (*http.Response, error) {
	header := http.Header{"Accept": {"application/json"}}
	if v, ok := versions[apiVersion]; ok {
		header.Set("Version", v)
	}
	return o.caller.do(ctx, request{method: method, uri: uri, header: header, body: body, auth: o.auth})
}

// location is the URI of the later grant. Credentials go to the configured endpoint only. If the given URI leads
// elsewhere, as from behind a gateway, only the grant's id in it counts.
func (o *Orchestrator) location(given string) (string, error) {
	endpoint, err := url.Parse(o.endpoint)
	if err != nil {
		return "", lcm.Wrap(lcm.KindBug, err, "The NFVO's endpoint is no URL.")
	}
	u, err := endpoint.Parse(given)
	if given == "" || err != nil || path.Base(u.Path) == "/" || path.Base(u.Path) == "." {
		return "", lcm.Errorf(lcm.KindBroken,
			"The NFVO answers 202 without a Location of the grant.")
	}
	if u.Scheme == endpoint.Scheme && u.Host == endpoint.Host {
		u.User, u.Fragment = nil, ""
		return u.String(), nil
	}
	return o.endpoint + "/grant/v1/grants/" + url.PathEscape(path.Base(u.Path)), nil
}

func (o *Orchestrator) granted(resp *http.Response, id lcm.OpOccID) (Answer, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return Answer{}, unreachable(o.caller.who, err)
	}
	if len(body) > maxAnswer {
		return Answer{}, lcm.Errorf(lcm.KindBroken, "The NFVO's grant is larger than %d MiB.", maxAnswer>>20)
	}
	grant, err := parseGrant(body, id)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Grant: &grant}, nil
}

// refusal translates an answer without a grant.
func (o *Orchestrator) refusal(resp *http.Response) error {
	detail := colon(o.detail(resp))
	switch status := resp.StatusCode; {
	case status == http.StatusForbidden:
		return lcm.Errorf(lcm.KindDenied, "The NFVO refuses the grant%s", detail)
	case status == http.StatusUnauthorized:
		return lcm.Errorf(lcm.KindDenied,
			"The NFVO does not accept Windlass's credentials (401)%s See nfvo.clientId and nfvo.secretFile.", detail)
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests,
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented:
		e := lcm.Errorf(lcm.KindUnavailable, "The NFVO answers %d%s", status, detail)
		e.RetryAfter = pauseOf(resp)
		return e
	default:
		return lcm.Errorf(lcm.KindBroken, "The NFVO answers %d to the request for a grant%s", status, detail)
	}
}

// detail is the NFVO's text about an error, without private data.
func (o *Orchestrator) detail(resp *http.Response) string {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var p problem.Details
	if json.Unmarshal(body, &p) != nil {
		return "" // a proxy's page, perhaps
	}
	text := p.Detail
	if text == "" {
		text = p.Title
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if o.auth != nil {
		for _, secret := range []string{o.auth.ParamsBasic.Password, o.auth.ParamsOauth2.ClientPassword} {
			if secret != "" {
				text = strings.ReplaceAll(text, secret, "***")
			}
		}
	}
	if runes := []rune(text); len(runes) > maxDetail {
		text = string(runes[:maxDetail]) + "..."
	}
	return text
}

// colon ends a sentence with the other side's text, if there is any.
func colon(detail string) string {
	if detail == "" {
		return "."
	}
	return ": " + strings.TrimSuffix(detail, ".") + "."
}

// longestPause bounds the pause that the other side can ask for.
const longestPause = 10 * time.Minute

// pauseOf reads Retry-After: seconds, or a date.
func pauseOf(resp *http.Response) time.Duration {
	given := resp.Header.Get("Retry-After")
	pause := time.Duration(0)
	if n, err := strconv.Atoi(given); err == nil {
		pause = time.Duration(min(n, int(longestPause/time.Second))) * time.Second
	} else if at, err := http.ParseTime(given); err == nil {
		pause = time.Until(at)
	}
	return min(max(pause, 0), longestPause)
}
