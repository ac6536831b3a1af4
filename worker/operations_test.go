package worker

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

func TestOperations_theRequestsRepositoryGoesBeforeTheConfigurations(t *testing.T) {
	configured, requested := &k8s.AptRepository{URL: "http://configured/"}, &k8s.AptRepository{URL: "http://requested/"}
	ops := &resolver{apt: configured, aptKey: []byte("KEY")}

	var c activities.ClusterContext
	ops.defaultRepository(&c)
	assert.Same(t, configured, c.Params.AptRepository)
	assert.Equal(t, "KEY", string(c.AptKey))

	c = activities.ClusterContext{Params: k8s.Params{AptRepository: requested}}
	ops.defaultRepository(&c)
	assert.Same(t, requested, c.Params.AptRepository)
	assert.Empty(t, c.AptKey)

	c = activities.ClusterContext{}
	(&resolver{}).defaultRepository(&c)
	assert.Nil(t, c.Params.AptRepository)
}
