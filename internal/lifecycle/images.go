package lifecycle

import "github.com/windlass-nfv/windlass/internal/lcm"

// uploading uploads the package's images to the VIM before it makes servers of them.
func (l listing) uploading() []Step {
	return When(l.carriesImages(), Step{
		ID: "upload-images", Title: "Upload the images of the package", Undo: "images that no other VNF uses are deleted",
	})
}

// releasing deletes the uploaded images once no server needs them.
func (l listing) releasing() []Step {
	return When(l.carriesImages() && l.plan.Operation == lcm.OpTerminate, Step{ID: "release-images", Title: "Delete the images of the package"})
}

func (l listing) carriesImages() bool { return len(l.facts.Flavour.PackagedImages()) > 0 }
