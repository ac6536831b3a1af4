package main

import (
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
old keys in the file as long as Temporal keeps histories that were encrypted with them.`,
	}
	cmd.AddCommand(newKeysGenerate(con), newKeysAdd(con), newKeysRotate(con))
	return cmd
}

func newKeysGenerate(con *console) *cobra.Command {
	return &cobra.Command{
		Use:     "generate FILE",
		Short:   "Write a new key file",
		Example: "  windlass keys generate /etc/windlass/keys",
		Args:    exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := secrets.GenerateKeyFile(args[0]); err != nil {
				return err
			}
			fmt.Fprintf(con.out, "%s holds a new key. Without this key every password is lost; keep a copy apart from "+
				"the database.\n", args[0])
			return nil
		},
	}
}

func newKeysAdd(con *console) *cobra.Command {
	return &cobra.Command{
		Use:     "add FILE",
		Short:   "Put a new key in front of those in a key file",
		Example: "  windlass keys add /etc/windlass/keys",
		Args:    exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := secrets.AddKey(args[0]); err != nil {
				return err
			}
			fmt.Fprintf(con.out, "%s has a new first key. Bring it to all servers and restart them, then run: windlass keys "+
				"rotate\n", args[0])
			return nil
		},
	}
}

func newKeysRotate(con *console) *cobra.Command {
	needs := []config.Need{config.NeedDatabase, config.NeedKeys}
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
		keyring, err := secrets.LoadKeyring(cfg.Keys.File, cfg.Keys.Env)
		if err != nil {
			return err
		}
		db, err := store.Open(cmd.Context(), cfg.DatabaseURL)
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
