package reach

import (
	"context"
	"net/url"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// LockFor is how long the step waits for cloud-init and other installations, in seconds; it is a part of
// timeouts.install.
func LockFor(install int) int { return min(install, max(600, install/2)) }

// ProxyInputs opens the proxy's URLs; they may contain passwords.
func (r Runner) ProxyInputs(
	ctx context.Context, proxy *k8s.ProxyParams,
) (inputs []scripts.Input, mask []string, err error) {
	if proxy == nil {
		return nil, nil, nil
	}
	for _, in := range []struct {
		name   string
		secret lcm.Secret
	}{{"http_proxy", proxy.HTTPProxy}, {"https_proxy", proxy.HTTPSProxy}} {
		value, err := r.Open(ctx, in.secret)
		if err != nil {
			return nil, nil, err
		}
		if value == "" {
			continue
		}
		if !k8s.IsProxyURL(value) {
			return nil, nil, lcm.Errorf(lcm.KindInvalid,
				"The request's proxy.%s is not a URL like http://user:password@proxy.example:3128.", in.name)
		}
		inputs = append(inputs, scripts.Input{Name: in.name, Value: value})
		mask = append(mask, value)
		if short := strings.TrimRight(value, "/"); short != value { // some tools show the URL in this form
			mask = append(mask, short)
		}
		mask = append(mask, Userinfo(value)...)
	}
	return inputs, mask, nil
}

// Userinfo returns the parts of a proxy's URL that tools may show without the rest of the URL.
func Userinfo(proxy string) []string {
	_, rest, _ := strings.Cut(proxy, "://")
	at := strings.LastIndex(rest, "@")
	if at < 0 {
		return nil
	}
	parts := []string{rest[:at]}
	if _, password, ok := strings.Cut(rest[:at], ":"); ok && password != "" {
		parts = append(parts, password)
		if clear, err := url.PathUnescape(password); err == nil {
			parts = append(parts, clear)
		}
	}
	return parts
}

// NoProxy lists the internal addresses. It keeps networks as networks: Tacker lists each address, and such a list is
// longer than a command may be.
func NoProxy(p k8s.Params, virtualIP string, hosts []HostEntry) string {
	if p.Proxy == nil {
		return ""
	}
	var list []string
	add := func(entries ...string) {
		for _, entry := range entries {
			if entry = strings.TrimSpace(entry); entry != "" {
				list = append(list, entry)
			}
		}
	}
	add(strings.Split(p.Proxy.NoProxy, ",")...)
	add("127.0.0.1", "::1", "localhost", ".svc", ".cluster.local", p.MasterNode.PodCIDR, p.MasterNode.ServiceCIDR,
		p.Proxy.K8sNodeCIDR, virtualIP)
	for _, h := range hosts {
		add(h.Address)
	}
	return strings.Join(list, ",")
}
