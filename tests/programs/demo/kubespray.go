package main

import (
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// pageSpec is a web server on the cluster; nodePort is the port where the load balancer serves it.
//
//go:embed web.yaml
var pageSpec []byte

const nodePort = "30080"

// kubesprayResult is the part of --json about a cluster by kubespray's driver.
type kubesprayResult struct {
	// RequestsSent is the number of requests through the load balancer while the cluster is scaled out and in.
	RequestsSent             int     `json:"requests_sent"`
	RequestsFailedInScaleOut int     `json:"requests_failed_in_scale_out"`
	RequestsFailedInScaleIn  int     `json:"requests_failed_in_scale_in"`
	ScaleOutSeconds          float64 `json:"scale_out_seconds"`
	ScaleInSeconds           float64 `json:"scale_in_seconds"`
}

// showScaling scales the cluster out and in while clients send requests through its load balancer.
func (d *demo) showScaling(ctx context.Context, instance vnf) error {
	d.title("A page on the cluster, and clients that ask for it through the load balancer")
	api, err := d.clusterURL(ctx)
	if err != nil {
		return err
	}
	if err := d.servePage(ctx, "2"); err != nil {
		return err
	}
	r := &kubesprayResult{}
	d.result.Kubespray = r
	page := "http://" + net.JoinHostPort(api.Hostname(), nodePort) + "/"
	d.say("They ask %s and %s/livez in turn, each time over a new connection.", page, api)
	asked := []string{page, api.String() + "/livez"}
	if err := answered(ctx, page); err != nil {
		return err
	}
	sent := 0
	if sent, r.RequestsFailedInScaleOut, r.ScaleOutSeconds, err = d.scaleAsked(ctx, instance, "--out", asked); err != nil {
		return errors.Join(err, d.save())
	}
	r.RequestsSent = sent
	if err := d.servePage(ctx, "3"); err != nil { // one on each worker, so that one must move when a worker is removed
		return err
	}
	sent, r.RequestsFailedInScaleIn, r.ScaleInSeconds, err = d.scaleAsked(ctx, instance, "--in", asked)
	r.RequestsSent += sent
	if err := errors.Join(err, d.save()); err != nil {
		return err
	}
	d.say("\nScaled out in %.1f s and in in %.1f s, under %d requests; %d failed in the scale out, %d in the scale in.",
		r.ScaleOutSeconds, r.ScaleInSeconds, r.RequestsSent, r.RequestsFailedInScaleOut, r.RequestsFailedInScaleIn)
	if r.RequestsFailedInScaleOut+r.RequestsFailedInScaleIn > 0 {
		return errors.New("requests through the load balancer have failed")
	}
	return nil
}

// servePage runs this many Pods that serve the page.
func (d *demo) servePage(ctx context.Context, pods string) error {
	file := filepath.Join(d.Dir, "page.yaml")
	if err := os.WriteFile(file, pageSpec, 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"apply", "-f", file},
		{"scale", "deployment/page", "--replicas", pods},
		{"wait", "deployment/page", "--for", "jsonpath={.status.readyReplicas}=" + pods, "--timeout", "2m"},
	} {
		if _, err := d.runKubectl(ctx, args...); err != nil {
			return err
		}
	}
	out, err := d.runKubectl(ctx, "get", "pods", "-o", "wide")
	d.say("\n$ %s --kubeconfig %s get pods -o wide\n%s", d.kubectl(), d.kubeconfig(), out)
	return err
}

// scaleAsked scales by one worker while clients send requests, and returns how long this took.
func (d *demo) scaleAsked(
	ctx context.Context, instance vnf, direction string, urls []string,
) (sent, failed int, seconds float64, err error) {
	ended := d.ask(ctx, urls)
	err = d.show(ctx, "vnf", "scale", instance.ID, "--aspect", "worker_instance", direction, "1", "--watch")
	sent, failed = ended()
	if err != nil {
		return sent, failed, 0, err
	}
	d.say("%d requests were sent meanwhile, %d failed.", sent, failed)
	op, err := d.last(ctx, instance.ID, lcm.OpScale)
	return sent, failed, op.seconds(), err
}

// ask sends requests until the function that it returns is called. That function returns the numbers of requests and of
// failures.
func (d *demo) ask(ctx context.Context, urls []string) (ended func() (sent, failed int)) {
	ctx, stop := context.WithCancel(ctx)
	counts := make(chan [2]int)
	client := stranger()
	go func() {
		var n [2]int
		for i := 0; ctx.Err() == nil; i++ {
			err := get(ctx, client, urls[i%len(urls)])
			if ctx.Err() != nil {
				break // the result of this request does not count
			}
			n[0]++
			if err != nil {
				n[1]++
				d.say("%s: a client got no answer: %v", time.Now().Format(time.TimeOnly), err)
			}
		}
		counts <- n
	}()
	return func() (int, int) {
		stop()
		n := <-counts
		return n[0], n[1]
	}
}

// stranger returns a client that opens a new connection for each request.
func stranger() *http.Client {
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it asks whether somebody answers, and nothing else
	}}
}

// answered waits until the load balancer uses the nodes that serve the page, so that the page answers.
func answered(ctx context.Context, page string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if err := get(ctx, stranger(), page); err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// get makes one request, a moment after the last one.
func get(ctx context.Context, client *http.Client, url string) error {
	if err := pause(ctx); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	// The API answers 401 to an unknown client; this is an answer, too.
	if answer.StatusCode >= http.StatusInternalServerError {
		return errors.New("status " + strconv.Itoa(answer.StatusCode))
	}
	return nil
}

// clusterURL returns the URL of the cluster's API, which Windlass has registered as a VIM.
func (d *demo) clusterURL(ctx context.Context) (*url.URL, error) {
	vims, err := query[[]vim](ctx, d, "vim", "list")
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(vims, func(v vim) bool { return v.Name == d.product().cluster })
	if i < 0 {
		return nil, errors.New("the cluster is not registered as a VIM")
	}
	return url.Parse(vims[i].AuthURL)
}
