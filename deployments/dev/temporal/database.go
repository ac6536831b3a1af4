package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/server/common/auth"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/tools/common/schema"
	sqltool "go.temporal.io/server/tools/sql"
)

// maxConns is per database; the server keeps a pool for each of the two.
const maxConns = 20

// database is a PostgreSQL server and the names of Temporal's two databases on it.
type database struct {
	address, user, password string
	url                     *pgx.ConnConfig // as given: with the database that is connected to while the others are created
	tls                     *auth.TLS
	name, visibility        string
}

func (d *database) parse(rawURL string) error {
	if rawURL == "" {
		return fmt.Errorf("%s must hold the URL of a PostgreSQL server", databaseURLEnv)
	}
	conf, err := pgx.ParseConfig(rawURL)
	if err != nil {
		return fmt.Errorf("%s is not the URL of a PostgreSQL server", databaseURLEnv) // the cause may hold the password
	}
	d.address = net.JoinHostPort(conf.Host, strconv.Itoa(int(conf.Port)))
	d.user, d.password, d.url = conf.User, conf.Password, conf
	if conf.TLSConfig == nil {
		return nil
	}
	d.tls = &auth.TLS{Enabled: true}
	if u, err := url.Parse(rawURL); err == nil {
		d.tls.EnableHostVerification = u.Query().Get("sslmode") == "verify-full"
		d.tls.CaFile = u.Query().Get("sslrootcert")
	}
	return nil
}

// sql is the configuration of a connection to one of the databases.
func (d *database) sql(name string) *config.SQL {
	return &config.SQL{
		PluginName: postgresql.PluginNamePGX, DatabaseName: name,
		ConnectAddr: d.address, ConnectProtocol: "tcp", User: d.user, Password: d.password, TLS: d.tls,
		MaxConns: maxConns, MaxIdleConns: maxConns, MaxConnLifetime: time.Hour,
	}
}

// migrate creates both databases where they are missing and brings their schema up to that of this
// binary, which carries it. It changes nothing the second time and takes some ten milliseconds then.
func migrate(ctx context.Context, d database, log *slog.Logger) error {
	return errors.Join(
		d.migrateOne(ctx, d.name, "postgresql/v12/temporal", log),
		d.migrateOne(ctx, d.visibility, "postgresql/v12/visibility", log))
}

func (d *database) migrateOne(ctx context.Context, name, schemaName string, log *slog.Logger) error {
	if err := d.ensure(ctx, name); err != nil {
		return err
	}
	logger := &slogAdapter{log}
	conn, err := sqltool.NewConnection(d.sql(name), logger)
	if err != nil {
		return fmt.Errorf("connect to database %s: %w", name, err)
	}
	defer conn.Close()
	// Version 0.0 makes the version tables only; it leaves a later version alone.
	if err := schema.NewSetupSchemaTask(conn, &schema.SetupConfig{InitialVersion: "0.0"}, logger).Run(); err != nil {
		return fmt.Errorf("set up the schema of %s: %w", name, err)
	}
	update := &schema.UpdateConfig{DBName: name, SchemaName: schemaName}
	if err := schema.NewUpdateSchemaTask(conn, update, logger).Run(); err != nil {
		return fmt.Errorf("update the schema of %s: %w", name, err)
	}
	return nil
}

// ensure creates the database where it is missing, which the server's own tool cannot find out.
func (d *database) ensure(ctx context.Context, name string) error {
	conn, err := pgx.ConnectConfig(ctx, d.url)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL on %s: %w", d.address, err)
	}
	defer conn.Close(ctx)
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists)
	if err != nil || exists {
		return err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return fmt.Errorf("create database %s (the role %s may lack CREATEDB; then create it beforehand): %w", name, d.user,
			err)
	}
	return nil
}
