package vims

import (
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	vimPath  = "$.vim"
	credPath = vimPath + ".auth_cred"
)

// readCredentials makes a VIM from a registration: it takes a kubeconfig apart, and refuses impossible values and
// denied addresses.
func (h *Handler) readCredentials(vim lcm.Vim, given map[string]any) (lcm.Vim, map[string]any, error) {
	vim, credentials, err := h.takeApart(vim, given)
	if err != nil {
		return vim, nil, err
	}
	if vim.AuthURL == "" {
		return vim, nil, lcm.InvalidAll("The VIM cannot be registered",
			[]lcm.Problem{{Path: vimPath + ".auth_url", Detail: "is missing"}})
	}
	if rules := lcm.KindOfVim(vim.Type).Credentials; rules != nil {
		err = lcm.InvalidAll("The VIM cannot be registered", rules.Unknown(credPath, credentials))
		if err == nil {
			err = h.usable(vim, *rules, credentials)
		}
	}
	if err == nil {
		err = h.allowed(".auth_url", vim.AuthURL)
	}
	return vim, credentials, err
}

// takeApart reads a kubeconfig, if the credentials are a kubeconfig.
func (h *Handler) takeApart(vim lcm.Vim, given map[string]any) (lcm.Vim, map[string]any, error) {
	if h.Checker == nil {
		return vim, given, nil
	}
	return h.Checker.Read(vim, given, vimPath)
}

// usable refuses credentials that allow no login, and settings that such a VIM cannot have.
func (h *Handler) usable(vim lcm.Vim, rules lcm.VimCredentials, credentials map[string]any) error {
	problems := rules.Login(credPath, credentials)
	problems = append(problems, rules.Project(vim, vimPath+".vim_project.name")...)
	if err := lcm.InvalidAll("The VIM cannot be used", problems); err != nil {
		return err
	}
	for _, member := range rules.Addresses {
		url, _ := credentials[member].(string)
		if err := h.allowed(".auth_cred."+member, url); err != nil {
			return err
		}
	}
	return nil
}

// allowed refuses an address that no VIM may have.
func (h *Handler) allowed(at, url string) error {
	if err := h.DeniedVim(url); err != nil {
		return rest.Unprocessable(vimPath+at, "%s", rest.Sentence(err))
	}
	return nil
}

// completeChange prepares a change for a VIM whose credentials have rules: it takes a kubeconfig apart, and lets
// another way to log in replace the present one.
func (h *Handler) completeChange(vim *lcm.Vim, req *changedVim) error {
	rules := lcm.KindOfVim(vim.Type).Credentials
	if rules == nil || req.AuthCred == nil {
		return nil
	}
	read, given, err := h.takeApart(*vim, req.AuthCred)
	if err == nil {
		err = lcm.InvalidAll("The VIM cannot be changed", rules.Unknown(credPath, given))
	}
	if err != nil {
		return err
	}
	vim.Project, req.AuthCred = read.Project, rules.Change(vim.AuthCred, given)
	return nil
}
