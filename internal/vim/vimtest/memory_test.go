package vimtest_test

import (
	"testing"
	"time"

	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest"
)

func TestMemory(t *testing.T) {
	size := func(n int) vim.Definition { return vimtest.Size(n) }
	vimtest.Run(t, vimtest.Bed{
		VIM: vimtest.NewMemory(), Name: "vnf-1", Define: size, Resize: size, Patience: time.Minute,
	})
}
