package balancer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestConfigureLoadBalancer_givesOneMasterAndFallingPriorities(t *testing.T) {
	s, fake, secrets, _ := activitytest.NewFake(t, 3, 0, nil)
	activitytest.BuildCluster(t, s)
	for i, name := range []string{"cp-0000000b", "cp-0000000c", "cp-0000000d"} {
		conf := fake.Notes[name+" keepalived"]
		assert.Contains(t, conf, []string{"priority 103", "priority 102", "priority 101"}[i])
		assert.Equal(t, i == 0, strings.Contains(conf, "state MASTER"))
		assert.Contains(t, conf, secrets.Ending("vrrp_password")[0])
		assert.Equal(t, fake.Notes["cp-0000000b haproxy"], fake.Notes[name+" haproxy"])
	}
	assert.Len(t, secrets.Ending("vrrp_password")[0], 8)
}

func TestWaitForVirtualIP_saysWhatIsWrongWithIt(t *testing.T) {
	for name, c := range map[string]struct {
		replies []string
		says    string
	}{
		"two holders": {activitytest.Results("held", "yes", "answers", "yes"), "hold the virtual IP 10.0.0.10 at once"},
		"no holder":   {activitytest.Results("held", "no", "answers", "no"), "No control plane holds"},
	} {
		t.Run(name, func(t *testing.T) {
			s, fake, _, _ := activitytest.NewFake(t, 3, 0, nil)
			fake.Replies["find-virtual-ip"] = c.replies
			clock := time.Now()
			s.Reach.Now = func() time.Time { clock = clock.Add(10 * time.Second); return clock }
			_, err := activitytest.Do(t, (&balancer.Activities{Reach: s.Reach}).WaitForVirtualIP,
				balancer.VirtualIPInput{ClusterInput: s.Cluster(), VirtualIP: s.VirtualIP})
			activitytest.AssertKind(t, err, lcm.KindBroken, c.says)
		})
	}
}

func TestLocateVirtualIP_asksThoseThatAnswer(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 3, 0, nil)
	balancers, in := &balancer.Activities{Reach: s.Reach},
		balancer.VirtualIPInput{ClusterInput: s.Cluster(), VirtualIP: s.VirtualIP}
	fake.Fail["find-virtual-ip"] = []error{
		lcm.Errorf(lcm.KindUnavailable, "it is dead"), nil,
		lcm.Errorf(lcm.KindUnavailable, "it is dead"),
	}
	fake.Replies["find-virtual-ip"] = activitytest.Results("held", "yes", "answers", "yes")
	out := activitytest.Must(t, balancers.LocateVirtualIP, in)
	assert.NotEmpty(t, out.Holder)

	fake.Fail["find-virtual-ip"] = []error{
		lcm.Errorf(lcm.KindUnavailable, "dead"),
		lcm.Errorf(lcm.KindUnavailable, "dead"), lcm.Errorf(lcm.KindUnavailable, "dead"),
	}
	out = activitytest.Must(t, balancers.LocateVirtualIP, in)
	assert.Empty(t, out.Holder, "nobody answers, and that is no failure")
}
