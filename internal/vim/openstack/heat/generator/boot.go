package generator

import (
	"slices"

	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// boot gives a server its boot data: a text (SOL001 to v2.6.1) or BootData (clause 6.2.63), whose content becomes user
// data and whose key-value pairs become metadata.
func (g *generator) boot(s *scope, vdu string, node, properties *document.Value) {
	data := g.raw(node, "boot_data")
	if data.IsNull() {
		return
	}
	content := data
	isBootData := data.Has("kvp_data") || data.Has("content_or_file_data") || data.Has("vim_specific_properties")
	if isBootData {
		content = g.content(vdu, data.At("content_or_file_data"))
		if pairs := data.At("kvp_data", "data"); pairs.IsMap() && len(pairs.Keys) > 0 {
			properties.Set("metadata", g.computed(s, pairs))
		}
		g.vimSpecific(s, vdu, data.At("vim_specific_properties", "properties"), properties)
	} else if data.IsList() || data.IsMap() && len(data.Keys) != 1 {
		g.Problem(data.Place(), "the boot_data of %s are neither a text nor kvp_data, content_or_file_data or "+
			"vim_specific_properties", vdu)
		return
	}
	if !content.IsNull() {
		properties.Set("user_data_format", text("RAW"))
		properties.Set("user_data", g.computed(s, content))
	}
}

// content is the content of ContentOrFileData: inline, or in a file of the package.
func (g *generator) content(vdu string, data *document.Value) *document.Value {
	for _, key := range []string{"data", "destination_path"} {
		if v := data.At(key); !v.IsNull() {
			g.Warn(v.Place(), "%s of the boot_data of %s is not used: the content is the server's user data as it is", key,
				vdu)
		}
	}
	if v := data.At("content"); !v.IsNull() {
		return v
	}
	source := data.At("source_path")
	if source.Str() == "" {
		return nil
	}
	file, ok := g.Locate(source.File, source.Str())
	if !ok {
		g.Problem(source.Place(), "the boot_data of %s are in the file %s, which the archive lacks", vdu,
			document.Quote(source.Str()))
		return nil
	}
	content, err := g.Zip.Read(file, mostUserData)
	if err != nil {
		g.Fail(file, err)
		return nil
	}
	return text(string(content))
}

// mostUserData is Nova's limit: 65,535 bytes in Base64.
const mostUserData = 65535 / 4 * 3

// serverKeys are properties of Heat's servers that boot data may set for OpenStack.
var serverKeys = []string{"config_drive", "key_name"}

func (g *generator) vimSpecific(s *scope, vdu string, given, properties *document.Value) {
	for name, v := range given.Members() {
		if slices.Contains(serverKeys, name) {
			properties.Set(name, g.computed(s, v))
			continue
		}
		g.Warn(v.Place(), "the property %s of the boot_data of %s is not used: Windlass uses config_drive and "+
			"key_name only", document.Quote(name), vdu)
	}
}
