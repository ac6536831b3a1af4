// Command layers prints the directories of the layers of the lab's node image, one a line: Debian, the node on top of
// it, and containerd's state with the images of a cluster. It builds missing layers.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	img, err := image.Ensure(ctx, image.Options{Progress: os.Stderr})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s\n%s\n%s\n", img.Base, img.Node, img.Containerd)
}
