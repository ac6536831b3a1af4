package vnfpkg

import "slices"

// boot gives a server its boot data: a text (SOL001 to v2.6.1) or BootData (clause 6.2.63), whose content becomes user
// data and whose key-value pairs become metadata.
func (g *generator) boot(s *scope, vdu string, node, properties *value) {
	data := g.raw(node, "boot_data")
	if data.isNull() {
		return
	}
	content := data
	isBootData := data.has("kvp_data") || data.has("content_or_file_data") || data.has("vim_specific_properties")
	if isBootData {
		content = g.content(vdu, data.at("content_or_file_data"))
		if pairs := data.at("kvp_data", "data"); pairs.isMap() && len(pairs.keys) > 0 {
			properties.set("metadata", g.computed(s, pairs))
		}
		g.vimSpecific(s, vdu, data.at("vim_specific_properties", "properties"), properties)
	} else if data.isList() || data.isMap() && len(data.keys) != 1 {
		g.problem(data.place(), "the boot_data of %s are neither a text nor kvp_data, content_or_file_data or "+
			"vim_specific_properties", vdu)
		return
	}
	if !content.isNull() {
		properties.set("user_data_format", text("RAW"))
		properties.set("user_data", g.computed(s, content))
	}
}

// content is the content of ContentOrFileData: inline, or in a file of the package.
func (g *generator) content(vdu string, data *value) *value {
	for _, key := range []string{"data", "destination_path"} {
		if v := data.at(key); !v.isNull() {
			g.warn(v.place(), "%s of the boot_data of %s is not used: the content is the server's user data as it is", key,
				vdu)
		}
	}
	if v := data.at("content"); !v.isNull() {
		return v
	}
	source := data.at("source_path")
	if source.str() == "" {
		return nil
	}
	file, ok := g.locate(source.file, source.str())
	if !ok {
		g.problem(source.place(), "the boot_data of %s are in the file %s, which the archive lacks", vdu,
			quoteName(source.str()))
		return nil
	}
	content, err := g.zip.read(file, mostUserData)
	if err != nil {
		g.fail(file, err)
		return nil
	}
	return text(string(content))
}

// mostUserData is Nova's limit: 65,535 bytes in Base64.
const mostUserData = 65535 / 4 * 3

// serverKeys are properties of Heat's servers that boot data may set for OpenStack.
var serverKeys = []string{"config_drive", "key_name"}

func (g *generator) vimSpecific(s *scope, vdu string, given, properties *value) {
	for name, v := range given.members() {
		if slices.Contains(serverKeys, name) {
			properties.set(name, g.computed(s, v))
			continue
		}
		g.warn(v.place(), "the property %s of the boot_data of %s is not used: Windlass uses config_drive and "+
			"key_name only", quoteName(name), vdu)
	}
}
