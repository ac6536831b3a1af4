package resources_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest"
)

// carried is the package of an operation, with one image. With a nil VIM it has no image.
type carried struct {
	resources.Deployments
	on     vim.VIM
	opened int
}

func (c *carried) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c.on, nil }

func (c *carried) DeploymentName(_ context.Context, id lcm.OpOccID) (name, owner string, err error) {
	return "deployment", "owner of " + string(id), nil
}

func (c *carried) PackagedImages(_ context.Context, _ lcm.OpOccID, each func(resources.PackagedImage) error) error {
	return each(resources.PackagedImage{Image: vim.Image{Name: "debian"}, Open: func() (io.ReadCloser, error) {
		c.opened++
		return io.NopCloser(strings.NewReader("content")), nil
	}})
}

func environmentOf(images *resources.Images) *testsuite.TestActivityEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(images)
	return env
}

func TestUploadImages_onceAndUntilNobodyNeedsThem(t *testing.T) {
	memory := vimtest.NewMemory()
	p := &carried{on: memory}
	images := &resources.Images{VIMs: p, Deployments: p, Packages: p, Output: &activitytest.Output{}}
	env := environmentOf(images)
	input := func(id lcm.OpOccID) resources.DeploymentInput { return resources.DeploymentInput{OpOccID: id} }
	for range 2 {
		for _, id := range []lcm.OpOccID{"one", "two"} {
			_, err := env.ExecuteActivity(images.UploadImages, input(id))
			require.NoError(t, err)
		}
	}
	require.Equal(t, 1, p.opened)
	require.Equal(t, []string{"debian"}, memory.Images())
	for range 2 {
		_, err := env.ExecuteActivity(images.ReleaseImages, input("one"))
		require.NoError(t, err)
	}
	require.Equal(t, []string{"debian"}, memory.Images(), "the other VNF has it still")
	for range 2 {
		_, err := env.ExecuteActivity(images.ReleaseImages, input("two"))
		require.NoError(t, err)
	}
	require.Empty(t, memory.Images())
}

func TestUploadImages_needsAVIMThatKeepsThem(t *testing.T) {
	p := &carried{on: struct{ vim.VIM }{}}
	images := &resources.Images{VIMs: p, Deployments: p, Packages: p, Output: &activitytest.Output{}}
	_, err := environmentOf(images).ExecuteActivity(images.UploadImages, resources.DeploymentInput{OpOccID: "op"})
	require.ErrorContains(t, err, "cannot store the images of the VNF package")
}
