package lifecycle

import "github.com/windlass-nfv/windlass/internal/lcm"

// uploading lets the VIM have the images that the package carries, before servers are made of them.
func (l listing) uploading() []Step {
	return When(l.carriesImages(), Step{
		ID: "upload-images", Title: "Upload the images of the package", Undo: "images that no other VNF uses are deleted",
	})
}

// releasing deletes what uploading has made, once no server needs it.
func (l listing) releasing() []Step {
	return When(l.carriesImages() && l.plan.Operation == lcm.OpTerminate, Step{ID: "release-images", Title: "Delete the images of the package"})
}

func (l listing) carriesImages() bool { return len(l.facts.Flavour.PackagedImages()) > 0 }
