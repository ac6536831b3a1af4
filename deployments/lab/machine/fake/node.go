package fake

import (
	"context"
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// KubernetesVersion is the version of kubeadm on every fake machine.
const KubernetesVersion = "v1.34.4"

// interrupted is the result of a script that was stopped from outside; no caller reads it.
var interrupted = Result{ExitCode: killedBySignal}

func (d *Driver) registerScripts() {
	d.handlers = map[string]Handler{
		"check-node":     working(d.checkNode),
		"prepare-node":   d.prepareNode,
		"find-interface": d.findInterface,
		"remove-file":    d.removeFile,

		"connect-registries": needing(working(d.connectRegistries), "before", "after", "before.bare", "after.bare"),
		"check-registries":   working(d.checkRegistries),
		"install-registry":   needing(d.installRegistry, "config"),

		"configure-load-balancer": needing(d.configureLoadBalancer, "haproxy", "keepalived"),
		"find-virtual-ip":         d.findVirtualIP,
		"balance-externally":      d.balanceExternally,
		"run-balancer-script":     needing(working(d.runBalancerScript), "script"),
		"expose-services":         d.exposeServices,
		"run-exposure-script":     d.runExposureScript,
		"run-package-script":      needing(d.runPackageScript, "script"),
		"play-package":            d.playPackage,

		"check-member":       working(d.checkMember),
		"kubeadm-init":       d.kubeadmInit,
		"kubeadm-join":       d.kubeadmJoin,
		"admit-member":       d.admitMember,
		"mint-join":          needing(d.mintJoin, "token"),
		"revoke-join":        d.revokeJoin,
		"apply-manifest":     needing(d.applyManifest, "manifest"),
		"label-nodes":        d.labelNodes,
		"wait-for-nodes":     d.waitForNodes,
		"create-vim-account": d.createVimAccount,

		"cluster-health": d.clusterHealth,
		"drain-node":     d.drainNode,
		"uncordon-node":  d.uncordonNode,
		"delete-node":    d.deleteNode,
		"remove-members": d.removeMembers,
		"retire-node":    d.retireNode,
		"tell-hosts":     d.tellHosts,
		"look-at-node":   working(d.lookAtNode),

		"look-for-remains": working(d.lookForRemains),
		"point-to-self":    d.pointToSelf,

		"check-ansible":    d.checkAnsible,
		"run-playbook":     d.runPlaybook,
		"remove-inventory": d.removeInventory,

		"check-storage-server": working(d.checkStorageServer),
		"set-up-volumes":       working(d.setUpVolumes),
		"export-volumes":       working(d.exportVolumes),
		"mount-exports":        working(d.mountExports),
		"look-at-volumes":      d.lookAtVolumes,
		"remove-volumes":       needing(d.removeVolumes, "volumes"),
		"register-volumes":     needing(d.registerVolumes, "manifest"),
		"set-up-storage-class": needing(d.setUpStorageClass, "manifest", "probe"),
		"scale-provisioners":   d.scaleProvisioners,
		"move-volumes":         d.moveVolumes,
	}
}

func (d *Driver) checkNode(_ context.Context, m *Machine, p Params) Result {
	p.Print("Debian GNU/Linux 12 (bookworm), kernel 6.1.0 (fake)")
	p.Result("clock", strconv.FormatInt(time.Now().Unix(), 10))
	if address := p.Get("ADDRESS"); !m.hasAddress(address) {
		problem := "no interface has the address " + address + "; the image must configure the port that nic_cp_name names"
		p.Print("problem: %s", problem)
		p.Result("problem", base64.StdEncoding.EncodeToString([]byte(problem)))
	}
	return Result{}
}

func (d *Driver) prepareNode(ctx context.Context, m *Machine, p Params) Result {
	p.Print("every package is on the image")
	if !p.Work(ctx) {
		return interrupted
	}
	m.mu.Lock()
	m.hostname = p.Get("NODE_NAME")
	m.mu.Unlock()
	m.WriteFile("/etc/hostname", []byte(p.Get("NODE_NAME")+"\n"), 0o644)
	m.writeHosts(p)
	p.Result("kubeadm", KubernetesVersion)
	return Result{}
}

func (d *Driver) findInterface(_ context.Context, m *Machine, p Params) Result {
	for i, port := range m.ports() {
		if slices.Contains(port.FixedIPs, p.Get("ADDRESS")) {
			p.Result("interface", "eth"+strconv.Itoa(i))
			p.Result("prefix", strconv.Itoa(port.PrefixLen))
			return Result{}
		}
	}
	return p.Fail(1, "no interface has the address %s", p.Get("ADDRESS"))
}

func (d *Driver) removeFile(_ context.Context, m *Machine, p Params) Result {
	m.files.remove(p.Get("FILE"))
	return Result{}
}

var (
	keepalivedPriority = regexp.MustCompile(`(?m)^\s*priority (\d+)$`)
	haproxyServer      = regexp.MustCompile(`(?m)^    server (\S+) (\S+):6443`)
	keepalivedIP       = regexp.MustCompile(`virtual_ipaddress \{\s*([^\s/}]+)`)
)

func (d *Driver) configureLoadBalancer(ctx context.Context, m *Machine, p Params) Result {
	haproxy, keepalived := p.Input("haproxy"), p.Input("keepalived")
	if !p.Work(ctx) {
		return interrupted
	}
	ip := keepalivedIP.FindStringSubmatch(keepalived)
	priority := keepalivedPriority.FindStringSubmatch(keepalived)
	if ip == nil || priority == nil {
		return p.Fail(1, "keepalived does not start: its configuration has no priority or no virtual_ipaddress")
	}
	m.WriteFile("/etc/haproxy/haproxy.cfg", []byte(haproxy), 0o644)
	m.WriteFile("/etc/keepalived/keepalived.conf", []byte(keepalived), 0o600)
	weight, _ := strconv.Atoi(priority[1])
	w := d.locked()
	defer w.mu.Unlock()
	if w.balancers[ip[1]] == nil {
		w.balancers[ip[1]] = map[*Machine]balancer{}
	}
	var servers []string
	for _, server := range haproxyServer.FindAllStringSubmatch(haproxy, -1) {
		servers = append(servers, server[1]+" "+strings.Trim(server[2], "[]"))
	}
	w.balancers[ip[1]][m] = balancer{priority: weight, port: p.Get("PORT"), servers: servers}
	return Result{}
}

func (d *Driver) findVirtualIP(ctx context.Context, m *Machine, p Params) Result {
	ip, w := p.Get("VIRTUAL_IP"), d.state()
	held, answers := false, false
	p.until(ctx, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		held, answers = w.holder(ip) == m, w.answers(m, ip)
		return held || answers
	})
	p.Result("held", yesNo(held))
	p.Result("answers", yesNo(answers))
	return Result{}
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// until checks the condition repeatedly, for at most the script's TIMEOUT.
func (p Params) until(ctx context.Context, condition func() bool) bool {
	seconds, _ := strconv.Atoi(p.Get("TIMEOUT"))
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for !condition() {
		if time.Now().After(end) || !sleep(ctx, 20*time.Millisecond) {
			return false
		}
	}
	return true
}
