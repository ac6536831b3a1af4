package hot_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

// behindASubnet is a template that makes a network and members on it, as Tacker's templates do.
const behindASubnet = `
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}}}
  group:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 0
      max_size: 2
      desired_capacity: 2
      resource: {type: member.yaml, properties: {net: {get_resource: net}, image: i, flavor: f}}
  single: {type: member.yaml, properties: {net: {get_resource: net}, image: i, flavor: f}}
`

// TestMembersComeAfterTheSubnetsAboveThem checks that members are made after the subnets of their network, because a
// server cannot use a port without an address.
func TestMembersComeAfterTheSubnetsAboveThem(t *testing.T) {
	b := newBench(t)
	b.cloud.hold, b.cloud.held = make(chan struct{}), "OS::Neutron::Subnet"
	req := request(t, "member.yaml")
	req.Template = template(t, behindASubnet)
	st := b.create(req)
	require.Eventually(t, func() bool { return len(b.cloud.of("OS::Neutron::Subnet")) == 1 }, time.Minute,
		time.Millisecond)
	require.Never(t, func() bool { return len(b.cloud.of("OS::Neutron::Port")) > 0 }, 300*time.Millisecond,
		10*time.Millisecond)
	close(b.cloud.hold)
	b.await(st.ID, "CREATE_COMPLETE")
	require.Len(t, b.cloud.of("OS::Neutron::Port"), 3)
}

func nested(typ string) bool { return typ == "group" }

func TestAwaited_knowsTheSubnetsOfWhatAGroupIsGiven(t *testing.T) {
	tmpl, err := hot.FromMap(template(t, `
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  other: {type: OS::Neutron::Net}
  first: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}}}
  second: {type: OS::Neutron::Subnet, properties: {network_id: {get_resource: net}}}
  foreign: {type: OS::Neutron::Subnet, properties: {network: public}}
  elsewhere: {type: OS::Neutron::Subnet, properties: {network: {get_resource: other}}}
  group: {type: group, properties: {resource: {properties: {nets: [{get_resource: net}]}}}}
`))
	require.NoError(t, err)
	deps, err := hot.Dependencies(tmpl.Resources)
	require.NoError(t, err)
	require.Equal(t, []string{"net"}, deps["group"], "Heat knows no more")
	require.Equal(t, []string{"net", "first", "second"}, hot.Awaited(tmpl.Resources, deps, nested)["group"])
	require.Equal(t, []string{"net"}, deps["group"])
}

func TestAwaited_makesNoCircle(t *testing.T) {
	tmpl, err := hot.FromMap(template(t, `
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, depends_on: group, properties: {network: {get_resource: net}}}
  group: {type: group, properties: {net: {get_resource: net}}}
`))
	require.NoError(t, err)
	deps, err := hot.Dependencies(tmpl.Resources)
	require.NoError(t, err)
	require.Equal(t, deps, hot.Awaited(tmpl.Resources, deps, nested))
}
