package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

func newKeys(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Make and rotate the keys for sealed secrets",
		Long: `Make and rotate the keys for sealed secrets. To rotate: 'keys add' puts a new key into the file; bring
the file to every machine and restart all servers; 'keys rotate' seals everything with the new key. Keep the
old keys in the file as long as Temporal keeps histories that were encrypted with them.

A key in a token can wrap the keys in the file ('keys wrap'): then nobody can read the file without the token and
its PIN. Servers unwrap the keys when they start.`,
	}
	cmd.AddCommand(newKeysGenerate(con), newKeysAdd(con), newKeysRotate(con), newKeysWrap(con), newKeysUnwrap(con))
	return cmd
}

func newKeysGenerate(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate FILE",
		Short: "Write a new key file",
		Long: `Write a new key file. With the labels of a token and of a key in it, this key wraps the new key, and the file is
never there in clear.`,
		Example: "  windlass keys generate /etc/windlass/keys",
		Args:    exactly("FILE"),
	}
	to := addWrapFlags(cmd)
	return openingKeys(cmd, func(ctx context.Context, t secrets.Token, file string) error {
		var w *secrets.Wrapping
		if cmd.Flags().Changed("token-label") || cmd.Flags().Changed("key-label") || to.makeKey {
			wrapping, err := to.wrapping(cmd, t)
			if err != nil {
				return err
			}
			w = &wrapping
		}
		if err := secrets.GenerateKeyFile(ctx, file, w); err != nil {
			return err
		}
		fmt.Fprintf(con.out, "%s holds a new key. Without this key every password is lost; keep a copy apart from "+
			"the database.\n", file)
		if w != nil {
			fmt.Fprintf(con.out, "%s\n", keepWrappingKey(w.By))
		}
		return nil
	})
}

func newKeysAdd(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "add FILE",
		Short:   "Put a new key in front of those in a key file",
		Example: "  windlass keys add /etc/windlass/keys",
		Args:    exactly("FILE"),
	}
	return openingKeys(cmd, func(ctx context.Context, t secrets.Token, file string) error {
		if err := secrets.AddKey(ctx, file, t); err != nil {
			return err
		}
		fmt.Fprintf(con.out, "%s has a new first key. Bring it to all servers and restart them, then run: windlass keys "+
			"rotate\n", file)
		return nil
	})
}

func newKeysWrap(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wrap FILE",
		Short: "Wrap the keys in a key file by a key in a token",
		Long: `Wrap the keys in a key file by an AES key in a token (PKCS #11). The keys stay the same. Afterwards only a
server with the token and its PIN can read them. Keys that are wrapped already are wrapped by the other key.`,
		Example: `  windlass keys wrap /etc/windlass/keys --config /etc/windlass/windlass.yaml \
    --token-label windlass --key-label wrapping --make-key`,
		Args: exactly("FILE"),
	}
	to := addWrapFlags(cmd)
	return openingKeys(cmd, func(ctx context.Context, t secrets.Token, file string) error {
		w, err := to.wrapping(cmd, t)
		if err != nil {
			return err
		}
		if err := secrets.WrapKeyFile(ctx, file, w); err != nil {
			return err
		}
		fmt.Fprintf(con.out, "The keys in %s are wrapped. Bring the file to all servers.\n%s\n", file, keepWrappingKey(w.By))
		return nil
	})
}

func keepWrappingKey(k secrets.WrappingKey) string {
	return fmt.Sprintf("Nobody can read it without the key %q in the token %q: keep a backup of the token.", k.Key, k.Token)
}

func newKeysUnwrap(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "unwrap FILE",
		Short:   "Make a plain key file of a wrapped one",
		Example: "  windlass keys unwrap /etc/windlass/keys --config /etc/windlass/windlass.yaml",
		Args:    exactly("FILE"),
	}
	return openingKeys(cmd, func(ctx context.Context, t secrets.Token, file string) error {
		if err := secrets.UnwrapKeyFile(ctx, file, t); err != nil {
			return err
		}
		fmt.Fprintf(con.out, "%s holds the keys in clear. Bring it to all servers. They need no token any more.\n", file)
		return nil
	})
}

// wrapFlags name the wrapping key.
type wrapFlags struct {
	token, key string
	makeKey    bool
}

func addWrapFlags(cmd *cobra.Command) *wrapFlags {
	f := &wrapFlags{}
	cmd.Flags().StringVar(&f.token, "token-label", "", "`label` of the token")
	cmd.Flags().StringVar(&f.key, "key-label", "", "`label` of the wrapping key in the token, an AES key that cannot leave it")
	cmd.Flags().BoolVar(&f.makeKey, "make-key", false, "let the token make this key first")
	return f
}

func (f *wrapFlags) wrapping(cmd *cobra.Command, t secrets.Token) (w secrets.Wrapping, _ error) {
	if f.token == "" || f.key == "" {
		return w, usageErrorf(cmd, "Name the wrapping key: --token-label and --key-label go together.")
	}
	return secrets.Wrapping{By: secrets.WrappingKey{Token: f.token, Key: f.key}, MakeKey: f.makeKey, Token: t}, nil
}

// openingKeys lets cmd work with the key file in its argument, which may be wrapped.
func openingKeys(cmd *cobra.Command, work func(context.Context, secrets.Token, string) error) *cobra.Command {
	config.AddFlags(cmd.Flags(), config.NeedToken)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := config.Load(cmd.Flags(), config.NeedToken)
		if err != nil {
			return err
		}
		return pinCoded(work(cmd.Context(), tokenOf(cfg.Keys.Token), args[0]))
	}
	return cmd
}

func newKeysRotate(con *console) *cobra.Command {
	needs := []config.Need{config.NeedDatabase, config.NeedKeys, config.NeedToken}
	cmd := &cobra.Command{
		Use:     "rotate",
		Short:   "Seal every stored secret with the first key",
		Example: "  windlass keys rotate --config /etc/windlass/windlass.yaml",
		Args:    exactly(),
	}
	config.AddFlags(cmd.Flags(), needs...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(cmd.Flags(), needs...)
		if err != nil {
			return err
		}
		keyring, err := loadKeyring(cmd.Context(), cfg.Keys)
		if err != nil {
			return err
		}
		db, err := store.Open(cmd.Context(), cfg.Database.URL)
		if err != nil {
			return err
		}
		defer db.Close()
		n, err := secrets.NewVault(keyring, db).Rotate(cmd.Context())
		fmt.Fprintf(con.out, "Sealed anew with key %s: %d secrets.\n", keyring.Active(), n)
		return err
	}
	return cmd
}

func loadKeyring(ctx context.Context, k config.Keys) (*secrets.Keyring, error) {
	keyring, err := secrets.LoadKeyring(ctx, secrets.Source{File: k.File, Env: k.Env, Token: tokenOf(k.Token)})
	return keyring, pinCoded(err)
}

func tokenOf(t config.Token) secrets.Token {
	return secrets.Token{Module: t.Module, PINFile: t.PINFile, PINEnv: t.PINEnv}
}

// pinCoded gives a refused PIN an exit code of its own: a service manager must not try the PIN again until the token
// locks itself.
func pinCoded(err error) error {
	if secrets.PINRefused(err) {
		return &codedError{exitPIN, err}
	}
	return err
}
