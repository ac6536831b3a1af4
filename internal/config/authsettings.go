package config

// authSettings say how the API identifies its clients.
var authSettings = []setting{
	{
		key: "auth.mode", need: NeedAPI, fallback: AuthNone,
		usage: "`how` clients authenticate: none, or one or more of oauth2, keystone, mtls with commas between them",
		set:   func(c *Config, v string) (err error) { c.Auth.Modes, err = parseModes(v); return err },
	},
	{
		key: "auth.noneAnywhere", need: NeedAPI, fallback: "false",
		usage: "let auth.mode none serve other hosts, for a proxy that authenticates clients itself",
		set:   func(c *Config, v string) (err error) { c.Auth.NoneAnywhere, err = parseBool(v); return err },
	},
	{
		key: "auth.mtls.clients", need: NeedAPI, usage: "`clients` by the names in their certificates: name=project/role " +
			"with commas between them; a role is read, write or admin",
		set: func(c *Config, v string) error { c.Auth.MTLS.Clients = v; return nil },
	},
	{
		key: "auth.oauth2.issuer", need: NeedAPI, usage: "`URL` of the issuer whose bearer tokens are accepted",
		set: func(c *Config, v string) error { c.Auth.OAuth2.Issuer = v; return checkEndpoint(v) },
	},
	{
		key: "auth.oauth2.audience", need: NeedAPI, usage: "`audience` that bearer tokens must have",
		set: func(c *Config, v string) error { c.Auth.OAuth2.Audience = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.oauth2.jwksUrl", need: NeedAPI, usage: "`URL` of the issuer's keys; by default from the issuer's metadata",
		set: func(c *Config, v string) error { c.Auth.OAuth2.JWKSURL = v; return checkEndpoint(v) },
	},
	{
		key: "auth.oauth2.caFile", need: NeedAPI,
		usage: "`file` with the authorities of the issuer's certificate; by default those of the system",
		set:   func(c *Config, v string) error { c.Auth.OAuth2.CAFile = v; return nil },
	},
	{
		key: "auth.oauth2.projectClaim", need: NeedAPI, fallback: "project_id",
		usage: "`claim` of a token that names the client's project",
		set:   func(c *Config, v string) error { c.Auth.OAuth2.ProjectClaim = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.oauth2.project", need: NeedAPI,
		usage: "`project` of tokens without that claim; by default such tokens are refused",
		set:   func(c *Config, v string) error { c.Auth.OAuth2.Project = v; return nil },
	},
	{
		key: "auth.keystone.url", need: NeedAPI,
		usage: "`URL` of the Keystone that validates tokens, such as https://keystone.example/v3",
		set:   func(c *Config, v string) error { c.Auth.Keystone.URL = v; return checkEndpoint(v) },
	},
	{
		key: "auth.keystone.username", need: NeedAPI, usage: "`user` that may validate the tokens of others",
		set: func(c *Config, v string) error { c.Auth.Keystone.Username = v; return nil },
	},
	{
		key: "auth.keystone.passwordFile", need: NeedAPI, usage: "`file` with that user's password",
		set: func(c *Config, v string) error { c.Auth.Keystone.PasswordFile = v; return nil },
	},
	{
		key: "auth.keystone.userDomain", need: NeedAPI, fallback: "Default", usage: "`domain` of that user",
		set: func(c *Config, v string) error { c.Auth.Keystone.UserDomain = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.keystone.project", need: NeedAPI, fallback: "service", usage: "`project` of that user",
		set: func(c *Config, v string) error { c.Auth.Keystone.Project = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.keystone.projectDomain", need: NeedAPI, fallback: "Default", usage: "`domain` of that project",
		set: func(c *Config, v string) error { c.Auth.Keystone.ProjectDomain = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.keystone.caFile", need: NeedAPI,
		usage: "`file` with the authorities of Keystone's certificate; by default those of the system",
		set:   func(c *Config, v string) error { c.Auth.Keystone.CAFile = v; return nil },
	},
	{
		key: "auth.keystone.readRoles", need: NeedAPI, fallback: "reader",
		usage: "`roles` that let a user read, with commas between them",
		set:   func(c *Config, v string) error { c.Auth.Keystone.ReadRoles = parseList(v); return nil },
	},
	{
		key: "auth.keystone.writeRoles", need: NeedAPI, fallback: "member",
		usage: "`roles` that let a user change resources of their project",
		set:   func(c *Config, v string) error { c.Auth.Keystone.WriteRoles = parseList(v); return nil },
	},
	{
		key: "auth.keystone.adminRoles", need: NeedAPI, fallback: "admin",
		usage: "`roles` that let a user do everything in every project",
		set:   func(c *Config, v string) error { c.Auth.Keystone.AdminRoles = parseList(v); return nil },
	},
}
