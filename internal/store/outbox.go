package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// outboxChannel tells the relays about new deliveries.
const outboxChannel = "windlass_outbox"

// subscribed reports whether there is any subscriber. Without subscribers, this is the only extra query of a change.
func subscribed(ctx context.Context, tx pgx.Tx) (yes bool, err error) {
	err = tx.QueryRow(ctx, `select exists (select from subscription)`).Scan(&yes)
	return yes, err
}

// notify adds the event to the outbox for every interested subscription of the project, in the transaction of the
// change. It must come before appendEvent, which takes the last lock of a transaction.
func notify(ctx context.Context, tx pgx.Tx, project lcm.ProjectID, e lcm.VnfEvent) error {
	subscriptions, err := all(ctx, tx, scanSubscription, subscribedIn, pgx.NamedArgs{"project": project})
	if err != nil {
		return err
	}
	var ids []lcm.SubscriptionID
	for _, s := range subscriptions {
		if s.Wants(e) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	e.ID, e.Error = uuid.NewString(), textError(e.Error)
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
	// It waits for a subscription that is being deleted, and then skips it.
	_, err = tx.Exec(ctx, `
		with put as (
			insert into delivery (subscription_id, event)
			select id, @event::jsonb from (select id from subscription where id = any(@ids) order by id for key share) as wanting
		)
		select pg_notify(@channel, '')`,
		pgx.NamedArgs{"event": e, "ids": ids, "channel": outboxChannel})
	return err
}

// notifyOperation notifies about a state that the operation entered in this transaction.
func notifyOperation(ctx context.Context, tx pgx.Tx, id lcm.OpOccID) error {
	args := pgx.NamedArgs{"id": id}
	op, err := one(ctx, tx, scanOperation, notFound("VNF LCM operation occurrence", id), selectOperation+` where id = @id`,
		args)
	if err != nil {
		return err
	}
	args["id"] = op.VnfInstanceID
	inst, err := one(ctx, tx, scanInstance, notFound("VNF instance", op.VnfInstanceID), selectInstance+` where id = @id`,
		args)
	switch {
	case lcm.Is(err, lcm.KindNotFound): // a missing row must not prevent the record of a state
		inst = lcm.VnfInstance{ID: op.VnfInstanceID}
	case err != nil:
		return err
	}
	e := lcm.VnfEvent{
		Type: lcm.NotifyOperation, At: op.StateEnteredTime, OpOccID: op.ID, Operation: op.Operation, State: op.State,
		IsAutomaticInvocation: op.IsAutomaticInvocation,
	}
	if !op.State.Starts() {
		e.Error, e.ResourceChanges, e.ChangedInfo, e.Connectivity = op.Error, op.ResourceChanges, op.ChangedInfo,
			op.Connectivity()
	}
	return notify(ctx, tx, op.ProjectID, e.Of(inst))
}

// notifyInstance notifies about the creation or deletion of an instance, if there is any subscriber.
func notifyInstance(ctx context.Context, tx pgx.Tx, t lcm.NotificationType, inst lcm.VnfInstance) error {
	if yes, err := subscribed(ctx, tx); err != nil || !yes {
		return err
	}
	return notify(ctx, tx, inst.ProjectID, lcm.VnfEvent{Type: t}.Of(inst))
}

// notifyPackage notifies about an update of a package, if there is any subscriber, and locks the package. Call it
// before the update, in the same transaction.
func notifyPackage(ctx context.Context, tx pgx.Tx, now lcm.VnfPkg) error {
	if yes, err := subscribed(ctx, tx); err != nil || !yes {
		return err
	}
	before, err := all(ctx, tx, scanPackage, selectPackage+` where id = @id and version = @version for update`,
		pgx.NamedArgs{"id": now.ID, "version": now.Version})
	if err != nil || len(before) == 0 { // the update itself reports why it changes nothing
		return err
	}
	now.UsageState = before[0].UsageState
	onBoard := before[0].OnboardingState == lcm.PkgOnboarded
	switch {
	case now.OnboardingState == lcm.PkgOnboarded && !onBoard:
		return notify(ctx, tx, before[0].ProjectID, lcm.PackageEvent(now, ""))
	case onBoard && now.OperationalState != before[0].OperationalState:
		return notify(ctx, tx, before[0].ProjectID, lcm.PackageEvent(now, lcm.PkgOpStateChange))
	}
	return nil
}

// notifyPackageGone notifies about a deleted package, if subscribers heard of its on-boarding.
func notifyPackageGone(ctx context.Context, tx pgx.Tx, id lcm.VnfPkgID) error {
	if yes, err := subscribed(ctx, tx); err != nil || !yes {
		return err
	}
	gone, err := all(ctx, tx, scanPackage, selectPackage+` where id = @id and onboarding_state = 'ONBOARDED' for update`,
		pgx.NamedArgs{"id": id})
	if err != nil || len(gone) == 0 {
		return err
	}
	return notify(ctx, tx, gone[0].ProjectID, lcm.PackageEvent(gone[0], lcm.PkgDelete))
}

// stateBefore locks the operation and reads its state, if any subscriber may want to know about a change. Otherwise it
// returns "".
func stateBefore(ctx context.Context, tx pgx.Tx, id lcm.OpOccID) (lcm.OperationState, error) {
	if yes, err := subscribed(ctx, tx); err != nil || !yes {
		return "", err
	}
	states, err := all(ctx, tx, pgx.RowTo[lcm.OperationState],
		`select state from vnf_lcm_op_occ where id = @id for update`, pgx.NamedArgs{"id": id})
	if err != nil || len(states) == 0 {
		return "", err
	}
	return states[0], nil
}

const selectDelivery = `
	select id, subscription_id, event, dead, attempts, last_error, since
	from delivery`

func scanDelivery(row pgx.CollectableRow) (d lcm.Delivery, err error) {
	err = row.Scan(&d.ID, &d.SubscriptionID, &d.Event, &d.Dead, &d.Attempts, &d.LastError, &d.Since)
	return d, err
}

// NextDelivery reads the next delivery to the subscription; NotFound when there is none.
func (s *Store) NextDelivery(ctx context.Context, id lcm.SubscriptionID) (lcm.Delivery, error) {
	return one(ctx, s.pool, scanDelivery, lcm.Errorf(lcm.KindNotFound,
		"Nothing is to be delivered to the subscription %s.", id),
		selectDelivery+` where subscription_id = @id and not dead order by id limit 1`, pgx.NamedArgs{"id": id})
}

// Delivery reads one delivery that has not arrived yet.
func (s *Store) Delivery(ctx context.Context, id int64) (lcm.Delivery, error) {
	return one(ctx, s.pool, scanDelivery, notFound("undelivered notification", id), selectDelivery+` where id = @id`,
		pgx.NamedArgs{"id": id})
}

// Delivered removes a delivery that has arrived. It is no error if there is none.
func (s *Store) Delivered(ctx context.Context, id int64) error {
	_, err := s.pool.Exec(ctx, `delete from delivery where id = @id`, pgx.NamedArgs{"id": id})
	return interpret("note a delivery", err)
}

// NotDelivered counts a failed attempt and stores its reason.
func (s *Store) NotDelivered(ctx context.Context, id int64, reason string) error {
	_, err := s.pool.Exec(ctx, `update delivery set attempts = attempts + 1, last_error = @reason where id = @id`,
		pgx.NamedArgs{"id": id, "reason": text(reason)})
	return interpret("note a failed delivery", err)
}

// Bury gives up a delivery that was tried at least once and is older than olderThan. Otherwise the delivery stays.
func (s *Store) Bury(ctx context.Context, id int64, olderThan time.Duration) error {
	_, err := s.pool.Exec(ctx, `
		update delivery set dead = true
		where id = @id and attempts > 0 and since + @age::interval <= clock_timestamp()`,
		pgx.NamedArgs{"id": id, "age": olderThan})
	return interpret("give up a delivery", err)
}

// Redeliver activates a delivery that was given up, in its former place. Later deliveries that have arrived are not
// repeated.
func (s *Store) Redeliver(ctx context.Context, id int64) error {
	tag, err := s.pool.Exec(ctx, `
		with again as (
			update delivery set dead = false, attempts = 0, since = clock_timestamp()
			where id = @id and dead and subscription_id in (select id from subscription where`+ofProject+`)
			returning id
		)
		select pg_notify(@channel, '') from again`,
		owned(ctx, pgx.NamedArgs{"id": id, "channel": outboxChannel}))
	if err == nil && tag.RowsAffected() == 0 {
		return lcm.Errorf(lcm.KindNotFound, "There is no dead letter %d.", id)
	}
	return interpret("deliver a notification again", err)
}

// DeadLetters reads at most limit deliveries that were given up, in order, beginning after the delivery after.
func (s *Store) DeadLetters(ctx context.Context, after int64, limit int) ([]lcm.Delivery, error) {
	return all(ctx, s.pool, scanDelivery, selectDelivery+`
		where dead and id > @after and subscription_id in (select id from subscription where`+ofProject+`)
		order by id limit @limit`,
		owned(ctx, pgx.NamedArgs{"after": after, "limit": limit}))
}

// Waiting lists the subscriptions with pending deliveries.
func (s *Store) Waiting(ctx context.Context) ([]lcm.SubscriptionID, error) {
	return all(ctx, s.pool, pgx.RowTo[lcm.SubscriptionID], `
		select id from subscription where exists (
			select from delivery where subscription_id = subscription.id and not dead
		)`, nil)
}

// OutboxNews receives a value when there may be a new delivery. It receives none when the database's notifications do
// not arrive, e.g. behind a pooler that does not pass LISTEN on.
func (s *Store) OutboxNews() <-chan struct{} {
	s.hub.listenOnDemand()
	return s.hub.outbox
}
