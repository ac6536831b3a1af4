package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The form of the filter depends on the API.
const subscriptionColumns = `id, project_id, api, api_version, case when api = 'vnflcm' then filter end, case when api = 'vnfpkgm' then filter end,
	callback_uri, verbosity, authentication, endpoint, created`

const selectSubscription = `
	select ` + subscriptionColumns + `
	from subscription`

// subscribedIn selects the subscriptions of a project. They receive events of this project only.
const subscribedIn = selectSubscription + ` where project_id = @project order by id`

func scanSubscription(row pgx.CollectableRow) (s lcm.Subscription, err error) {
	err = row.Scan(&s.ID, &s.ProjectID, &s.API, &s.APIVersion, &s.Filter, &s.Packages, &s.CallbackURI, &s.Verbosity,
		&s.Authentication, &s.Endpoint, &s.Created)
	return s, err
}

// CreateSubscription inserts the subscription into the context's project. Unless duplicates are allowed, it returns an
// existing subscription of the project with the same URI and filter instead. It ignores the subscriptions that the
// caller knows to be others.
//
// Errors: Conflict if the project has most subscriptions; 0 is no limit.
func (s *Store) CreateSubscription(
	ctx context.Context, sub lcm.Subscription, most int, duplicates bool, others ...lcm.SubscriptionID,
) (created lcm.Subscription, err error) {
	args, err := ownedBy(ctx, "create a subscription", pgx.NamedArgs{
		"id": sub.ID, "version": sub.APIVersion, "filter": sub.Filter, "uri": sub.CallbackURI, "verbosity": sub.Verbosity,
		"authentication": sub.Authentication, "endpoint": sub.Endpoint, "api": sub.API,
		"others": append([]lcm.SubscriptionID{}, others...),
	})
	if err != nil {
		return created, err
	}
	if sub.API == lcm.APIPkgm {
		args["filter"] = sub.Packages
	}
	err = s.inTransaction(ctx, "create the subscription", func(tx pgx.Tx) error {
		if err := noteOutcome(ctx, tx, string(sub.ID)); err != nil {
			return err
		}
		if !duplicates {
			// One at a time: of two concurrent requests, the second must see the first.
			if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(2, hashtext(@uri))`, args); err != nil {
				return err
			}
			same, err := all(ctx, tx, scanSubscription, selectSubscription+`
				where callback_uri = @uri and api = @api and api_version = @version and verbosity = @verbosity
					and filter is not distinct from @filter::jsonb and project_id = @owner
					and id <> all (@others)
				order by id limit 1`, args)
			if err != nil {
				return err
			}
			if len(same) > 0 {
				created = same[0]
				return nil
			}
		}
		if err := countSubscriptions(ctx, tx, most, args); err != nil {
			return err
		}
		created, err = one(ctx, tx, scanSubscription, notFound("subscription", sub.ID), `
			insert into subscription (id, api, api_version, filter, callback_uri, verbosity, authentication, endpoint, project_id)
			values (@id, @api, @version, @filter, @uri, @verbosity, @authentication, @endpoint, @owner)
			returning `+subscriptionColumns, args)
		return err
	})
	return created, err
}

// Subscription reads one subscription.
func (s *Store) Subscription(ctx context.Context, id lcm.SubscriptionID) (lcm.Subscription, error) {
	return one(ctx, s.pool, scanSubscription, notFound("subscription", id),
		selectSubscription+` where id = @id and`+ofProject, owned(ctx, pgx.NamedArgs{"id": id}))
}

var subscriptions = list[lcm.Subscription]{
	"subscription", selectSubscription, scanSubscription,
	SubscriptionAttributes, nil,
}

// SubscriptionPage reads a page of the subscriptions made under that version of that API, ordered by id.
func (s *Store) SubscriptionPage(
	ctx context.Context, api lcm.SubscribedAPI, version int, p Page,
) ([]lcm.Subscription, error) {
	w := subscriptions.where(ctx, p)
	w.add("api = " + w.arg(api) + " and api_version = " + w.arg(version))
	return subscriptions.page(ctx, s.pool, w, p)
}

// DeleteSubscription removes the subscription and its undelivered notifications.
func (s *Store) DeleteSubscription(ctx context.Context, id lcm.SubscriptionID) error {
	tag, err := s.pool.Exec(ctx, `delete from subscription where id = @id`, pgx.NamedArgs{"id": id})
	if err == nil && tag.RowsAffected() == 0 {
		return notFound("subscription", id)
	}
	return interpret("delete the subscription", err)
}
