package openstack

import (
	"cmp"
	"crypto/md5" //nolint:gosec // Glance's checksum is MD5
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Image is a Glance image. Servers always run the lab's node image: the lab counts the bytes of an upload and discards
// them.
type Image struct {
	ID, Name, ProjectID, Status, DiskFormat, ContainerFormat, Visibility, Checksum string
	Size                                                                           int64
	MinDisk, MinRAM                                                                int
	Properties                                                                     map[string]string
	Tags                                                                           []string
	Created, Updated                                                               time.Time
}

const images = state.Table[Image]("glance_images")

// imageSpace is the UUID namespace for configured images: their ids derive from their names and stay the same.
var imageSpace = uuid.MustParse("6d1b0f3a-9c3b-4f0e-8a57-6c6162000000")

func (c *Cloud) plantImages(tx *state.Tx) error {
	for _, name := range c.cfg.Images {
		id := uuid.NewSHA1(imageSpace, []byte(name)).String()
		if _, found := images.Get(tx, id); found {
			continue
		}
		err := images.Put(tx, id, Image{
			ID: id, Name: name, ProjectID: c.seed.Projects["admin"], Status: "active", DiskFormat: "raw",
			ContainerFormat: "bare", Visibility: "public", Size: 1 << 30, Created: c.now(), Updated: c.now(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// findImage looks an image up by id or name.
func (c *Cloud) findImage(project, nameOrID string) (Image, bool) {
	return imageIn(state.LoadAll(c.store, images, ""), project, nameOrID)
}

func imageIn(all []Image, project, nameOrID string) (Image, bool) {
	return first(all, func(i Image) bool {
		return (i.ID == nameOrID || i.Name == nameOrID) && (i.Visibility == "public" || i.ProjectID == project)
	})
}

func (rt *router) glance() {
	c := rt.c
	rt.roots(glance, func(*request) (reply, error) {
		return reply{status: http.StatusMultipleChoices, body: object{"versions": []object{{
			"id": "v2.9", "status": "CURRENT", "links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/image/v2/"}},
		}}}}, nil
	}, "", "/{$}", "/versions")
	rt.on(glance, "GET /v2/images", c.listImages)
	const image = "/v2/images/{id}"
	rt.on(glance, "POST /v2/images", given("", c.createImage))
	rt.on(glance, "GET "+image, with(c.image, func(_ *request, i Image) (reply, error) { return ok(imageView(i)) }))
	rt.on(glance, "PATCH "+image, withGiven(c.ownImage, "", c.patchImage))
	rt.on(glance, "DELETE "+image, with(c.ownImage, func(_ *request, i Image) (reply, error) {
		return empty(http.StatusNoContent, state.Remove(c.store, images, i.ID))
	}))
	rt.on(glance, "PUT "+image+"/file", with(c.ownImage, c.uploadImage))
	rt.on(glance, "PUT "+image+"/tags/{tag}", with(c.ownImage, c.tagImage))
	rt.on(glance, "DELETE "+image+"/tags/{tag}", with(c.ownImage, c.untagImage))
}

func imageView(i Image) object {
	view := object{
		"id": i.ID, "name": i.Name, "status": i.Status, "owner": i.ProjectID, "visibility": i.Visibility,
		"disk_format": i.DiskFormat, "container_format": i.ContainerFormat, "min_disk": i.MinDisk, "min_ram": i.MinRAM,
		"protected": false, "os_hidden": false, "tags": listed(i.Tags), "size": nil, "checksum": nil,
		"self": "/v2/images/" + i.ID, "file": "/v2/images/" + i.ID + "/file", "schema": "/v2/schemas/image",
		"created_at": stamp(i.Created), "updated_at": stamp(i.Updated),
	}
	for k, v := range i.Properties {
		if _, own := view[k]; !own {
			view[k] = v
		}
	}
	if i.Status == "active" {
		view["size"], view["checksum"] = i.Size, i.Checksum
	}
	return view
}

func (c *Cloud) listImages(r *request) (reply, error) {
	q := r.URL.Query()
	name := strings.TrimPrefix(q.Get("name"), "in:")
	wanted := func(i Image) bool {
		return (i.Visibility == "public" || r.sees(i.ProjectID)) && q.Get("marker") == "" &&
			(name == "" || i.Name == name) && (!q.Has("status") || q.Get("status") == i.Status) &&
			(!q.Has("visibility") || q.Get("visibility") == i.Visibility) && hasAll(i.Tags, q["tag"])
	}
	return ok(object{
		"images": views(state.LoadAll(c.store, images, ""), wanted, imageView),
		"schema": "/v2/schemas/images", "first": "/v2/images",
	})
}

func hasAll(have, want []string) bool {
	return !slices.ContainsFunc(want, func(tag string) bool { return !slices.Contains(have, tag) })
}

func (c *Cloud) image(r *request) (Image, error) {
	i, found := state.Load(c.store, images, r.PathValue("id"))
	if !found || i.Visibility != "public" && !r.sees(i.ProjectID) {
		return i, notFound("NotFound", "Failed to find image %s", r.PathValue("id"))
	}
	return i, nil
}

func (c *Cloud) ownImage(r *request) (Image, error) {
	i, err := c.image(r)
	if err == nil && !r.sees(i.ProjectID) {
		err = fail(http.StatusForbidden, "Forbidden", "You are not authorized to complete this action on image %s.", i.ID)
	}
	return i, err
}

// baseFields are the fields of an image other than its free properties.
var baseFields = []string{
	"id", "name", "visibility", "disk_format", "container_format", "min_disk", "min_ram", "tags",
	"protected", "os_hidden", "owner",
}

type imageRequest struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	Visibility      string   `json:"visibility"`
	DiskFormat      string   `json:"disk_format"`
	ContainerFormat string   `json:"container_format"`
	MinDisk         int      `json:"min_disk"`
	MinRAM          int      `json:"min_ram"`
	Tags            []string `json:"tags"`
}

func (c *Cloud) createImage(r *request, q imageRequest) (reply, error) {
	var all map[string]any
	if err := r.decode("", &all); err != nil {
		return reply{}, err
	}
	if q.Visibility == "public" && !r.token.Admin() {
		return reply{}, fail(http.StatusForbidden, "Forbidden", "You are not authorized to publicize the image.")
	}
	i := Image{
		ID: cmp.Or(q.ID, uuid.NewString()), Name: q.Name, ProjectID: r.project(), Status: "queued",
		Visibility: cmp.Or(q.Visibility, "shared"), DiskFormat: q.DiskFormat, ContainerFormat: q.ContainerFormat,
		MinDisk: q.MinDisk, MinRAM: q.MinRAM, Tags: q.Tags, Properties: map[string]string{},
		Created: c.now(), Updated: c.now(),
	}
	for k, v := range all {
		if s, isText := v.(string); isText && !slices.Contains(baseFields, k) {
			i.Properties[k] = s
		}
	}
	if _, exists := state.Load(c.store, images, i.ID); exists {
		return reply{}, conflict("Conflict", "Image ID %s already exists!", i.ID)
	}
	return reply{status: http.StatusCreated, body: imageView(i)}, state.Save(c.store, images, i.ID, i)
}

// patch is one of the changes of a JSON patch.
type patch struct {
	Op, Path string
	Value    any
}

func (c *Cloud) patchImage(_ *request, i Image, ops []patch) (reply, error) {
	i, _, err := state.Change(c.store, images, i.ID, func(i *Image) error {
		for _, op := range ops {
			value, _ := op.Value.(string)
			switch field := op.Path[min(len(op.Path), 1):]; {
			case field == "name":
				i.Name = value
			case field == "visibility":
				i.Visibility = value
			case op.Op == "remove":
				delete(i.Properties, field)
			default:
				if i.Properties == nil {
					i.Properties = map[string]string{}
				}
				i.Properties[field] = value
			}
		}
		i.Updated = c.now()
		return nil
	})
	return reply{status: http.StatusOK, body: imageView(i)}, err
}

func (c *Cloud) uploadImage(r *request, i Image) (reply, error) {
	if i.Status != "queued" {
		return reply{}, conflict("Conflict", "Image status transition from %s to saving is not allowed", i.Status)
	}
	sum := md5.New() //nolint:gosec // Glance's checksum is MD5
	n, err := io.Copy(sum, r.Body)
	if err != nil {
		return reply{}, badRequest("The upload broke off: %v", err)
	}
	_, _, err = state.Change(c.store, images, i.ID, func(i *Image) error {
		i.Status, i.Size, i.Checksum, i.Updated = "active", n, hex.EncodeToString(sum.Sum(nil)), c.now()
		return nil
	})
	return reply{status: http.StatusNoContent}, err
}

// tagImage adds a tag; a tag that exists already is no error.
func (c *Cloud) tagImage(r *request, i Image) (reply, error) {
	return c.retag(r, i, func(tags []string, tag string) ([]string, error) {
		if slices.Contains(tags, tag) {
			return tags, nil
		}
		return append(slices.Clone(tags), tag), nil
	})
}

func (c *Cloud) untagImage(r *request, i Image) (reply, error) {
	return c.retag(r, i, func(tags []string, tag string) ([]string, error) {
		if !slices.Contains(tags, tag) {
			return nil, notFound("NotFound", "Tag %s is not found.", tag)
		}
		return slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return t == tag }), nil
	})
}

func (c *Cloud) retag(r *request, i Image, change func(tags []string, tag string) ([]string, error)) (reply, error) {
	_, _, err := state.Change(c.store, images, i.ID, func(i *Image) (err error) {
		i.Tags, err = change(i.Tags, r.PathValue("tag"))
		return err
	})
	return reply{status: http.StatusNoContent}, err
}
