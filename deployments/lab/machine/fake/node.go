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

func (h *Hypervisor) registerScripts() {
	h.handlers = map[string]Handler{
		"check-node":     working(h.checkNode),
		"prepare-node":   h.prepareNode,
		"find-interface": h.findInterface,
		"remove-file":    h.removeFile,

		"connect-registries": needing(working(h.connectRegistries), "before", "after", "before.bare", "after.bare"),
		"check-registries":   working(h.checkRegistries),
		"install-registry":   needing(h.installRegistry, "config"),

		"configure-load-balancer": needing(h.configureLoadBalancer, "haproxy", "keepalived"),
		"find-virtual-ip":         h.findVirtualIP,
		"balance-externally":      h.balanceExternally,
		"run-balancer-script":     needing(working(h.runBalancerScript), "script"),
		"expose-services":         h.exposeServices,
		"run-exposure-script":     h.runExposureScript,
		"run-package-script":      needing(h.runPackageScript, "script"),
		"play-package":            h.playPackage,

		"check-member":       working(h.checkMember),
		"kubeadm-init":       h.kubeadmInit,
		"kubeadm-join":       h.kubeadmJoin,
		"admit-member":       h.admitMember,
		"mint-join":          needing(h.mintJoin, "token"),
		"revoke-join":        h.revokeJoin,
		"apply-manifest":     needing(h.applyManifest, "manifest"),
		"label-nodes":        h.labelNodes,
		"wait-for-nodes":     h.waitForNodes,
		"create-vim-account": h.createVimAccount,

		"cluster-health": h.clusterHealth,
		"drain-node":     h.drainNode,
		"uncordon-node":  h.uncordonNode,
		"delete-node":    h.deleteNode,
		"remove-members": h.removeMembers,
		"retire-node":    h.retireNode,
		"tell-hosts":     h.tellHosts,
		"look-at-node":   working(h.lookAtNode),

		"look-for-remains": working(h.lookForRemains),
		"point-to-self":    h.pointToSelf,

		"check-ansible":    h.checkAnsible,
		"run-playbook":     h.runPlaybook,
		"remove-inventory": h.removeInventory,

		"check-storage-server": working(h.checkStorageServer),
		"set-up-volumes":       working(h.setUpVolumes),
		"export-volumes":       working(h.exportVolumes),
		"mount-exports":        working(h.mountExports),
		"look-at-volumes":      h.lookAtVolumes,
		"remove-volumes":       needing(h.removeVolumes, "volumes"),
		"register-volumes":     needing(h.registerVolumes, "manifest"),
		"set-up-storage-class": needing(h.setUpStorageClass, "manifest", "probe"),
		"scale-provisioners":   h.scaleProvisioners,
		"move-volumes":         h.moveVolumes,
	}
}

func (h *Hypervisor) checkNode(_ context.Context, m *Machine, p ScriptParams) Result {
	p.Print("Debian GNU/Linux 12 (bookworm), kernel 6.1.0 (fake)")
	p.Result("clock", strconv.FormatInt(time.Now().Unix(), 10))
	if address := p.Get("ADDRESS"); !m.hasAddress(address) {
		problem := "no interface has the address " + address + "; the image must configure the port that nic_cp_name names"
		p.Print("problem: %s", problem)
		p.Result("problem", base64.StdEncoding.EncodeToString([]byte(problem)))
	}
	return Result{}
}

func (h *Hypervisor) prepareNode(ctx context.Context, m *Machine, p ScriptParams) Result {
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

func (h *Hypervisor) findInterface(_ context.Context, m *Machine, p ScriptParams) Result {
	for i, port := range m.ports() {
		if slices.Contains(port.FixedIPs, p.Get("ADDRESS")) {
			p.Result("interface", "eth"+strconv.Itoa(i))
			p.Result("prefix", strconv.Itoa(port.PrefixLen))
			return Result{}
		}
	}
	return p.Fail(1, "no interface has the address %s", p.Get("ADDRESS"))
}

func (h *Hypervisor) removeFile(_ context.Context, m *Machine, p ScriptParams) Result {
	m.files.remove(p.Get("FILE"))
	return Result{}
}

var (
	keepalivedPriority = regexp.MustCompile(`(?m)^\s*priority (\d+)$`)
	haproxyServer      = regexp.MustCompile(`(?m)^    server (\S+) (\S+):6443`)
	keepalivedIP       = regexp.MustCompile(`virtual_ipaddress \{\s*([^\s/}]+)`)
)

func (h *Hypervisor) configureLoadBalancer(ctx context.Context, m *Machine, p ScriptParams) Result {
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
	w := h.locked()
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

func (h *Hypervisor) findVirtualIP(ctx context.Context, m *Machine, p ScriptParams) Result {
	ip, w := p.Get("VIRTUAL_IP"), h.state()
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
func (p ScriptParams) until(ctx context.Context, condition func() bool) bool {
	seconds, _ := strconv.Atoi(p.Get("TIMEOUT"))
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for !condition() {
		if time.Now().After(end) || !sleep(ctx, 20*time.Millisecond) {
			return false
		}
	}
	return true
}
